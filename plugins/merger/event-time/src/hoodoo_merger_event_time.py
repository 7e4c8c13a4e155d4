"""The greater ordering value wins; a tie goes to the newer arrival."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.plugin import MergeMode, hookimpl
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS, ordering_reason
from hoodoo.record import Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class EventTime:
    """Merger of Hudi's EVENT_TIME_ORDERING: one rule for batch, log and storage.

    A delete without an ordering value is unconditional, on either side: it removes all older versions, and all newer
    records are accepted after it. A stored row without an ordering value loses.
    """

    merge_mode = MergeMode(
        "EVENT_TIME_ORDERING",
        "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
        payload_class="org.apache.hudi.common.model.DefaultHoodieRecordPayload",
    )
    laws = frozenset(
        {
            Law.ASSOCIATIVE,
            Law.ORDER_INDEPENDENT,
            Law.IDEMPOTENT,
            Law.REPLAY_SAFE,
            Law.DELETE_STICKY,
            Law.ORDERING_IS_MAX,
        }
    )
    whole_versions = True
    reasons = ORDERING_REASONS

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: the rule needs only the ordering columns."""
        return ()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE if the newer ordering value is not less, or if the newer version is an unconditional delete.

        A key-only delete does not replace an unconditional delete.
        """
        unconditional = newer.is_delete & newer.ordering.absent
        deleted = older.is_delete & older.ordering.absent
        deleted_for_good = deleted & newer.is_delete & ~newer.has_data
        take = (unconditional | (newer.ordering.compare(older.ordering) >= 0)) & ~deleted_for_good
        applied = unconditional & take
        return Outcome.take_where(take, ordering_reason(context, older, newer, take, applied=applied, followed=deleted))


@hookimpl
def hoodoo_merger() -> type[EventTime]:
    """Return the class of the plugin."""
    return EventTime
