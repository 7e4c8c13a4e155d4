"""The newer arrival wins, regardless of its ordering value."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.plugin import MergeMode, hookimpl
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, arrival_reason
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class CommitTime:
    """Merger of Hudi's COMMIT_TIME_ORDERING: the version that arrived last wins, also if it is a delete."""

    merge_mode = MergeMode(
        "COMMIT_TIME_ORDERING",
        "ce9acb64-bde0-424c-9b91-f6ebba25356d",
        payload_class="org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
    )
    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    whole_versions = True
    reasons = ORDERING_REASONS

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False: ordering values are stored and not compared."""
        return False

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: the rule compares no values."""
        return ()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE for all records."""
        return Outcome.all(Choice.TAKE, len(newer), arrival_reason(context, len(newer)))


@hookimpl
def hoodoo_merger() -> type[CommitTime]:
    """Return the class of the plugin."""
    return CommitTime
