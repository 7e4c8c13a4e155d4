"""The greater ordering value wins in a batch; the winner of the batch always replaces the stored row."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.plugin.helpers.batch_order import greater_in_batch
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, arrival_reason
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class OverwriteWithLatest:
    """Payload OverwriteWithLatestAvroPayload of Hudi.

    Up to Hudi 1.0 (`compat` legacy) two records of one batch are compared by ordering value. From 1.1 on they are not:
    the later arrival wins everywhere, as with the merger `commit-time`. A stored row is replaced even if it is newer.
    """

    hudi_class = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
    laws = frozenset({Law.ASSOCIATIVE, Law.REPLAY_SAFE})
    whole_versions = True
    reasons = ORDERING_REASONS

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return whether ordering values are compared: within a batch, with legacy semantics."""
        return config.compat == "legacy"

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: the rule needs only the ordering columns."""
        return ()

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the record with the greater ordering value; the newer one at a tie or after a key-only delete."""
        if not self.uses_ordering(config):
            return Outcome.all(Choice.TAKE, len(newer), arrival_reason(context, len(newer)))
        return greater_in_batch(older, newer, context)

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the incoming record, regardless of the stored one."""
        return Outcome.all(Choice.TAKE, len(incoming), arrival_reason(context, len(incoming)))

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the incoming record for a key that is not stored."""
        return Outcome.all(Choice.TAKE, len(incoming))


@hookimpl
def hoodoo_payload() -> type[OverwriteWithLatest]:
    """Return the class of the plugin."""
    return OverwriteWithLatest
