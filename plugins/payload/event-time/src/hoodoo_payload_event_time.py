"""The greater ordering value wins, in a batch and against storage; a tie goes to the incoming record."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class EventTimePayload:
    """Hudi's DefaultHoodieRecordPayload.

    A key-only delete is applied before anything is compared, so a late one removes a newer row. A stored row whose
    ordering value is null or missing (an older schema) loses.
    """

    laws = frozenset({Law.REPLAY_SAFE})

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Nothing beside the ordering columns."""
        return ()

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """The greater ordering value; a tie, or a key-only delete on the older side, gives the newer."""
        unconditional = ~older.has_data | (~newer.has_data & newer.ordering.absent)
        return Outcome.take_where(unconditional | (newer.ordering.compare(older.ordering) >= 0))

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """The incoming record unless the stored one's ordering value is greater."""
        return Outcome.take_where(~incoming.has_data | (incoming.ordering.compare(stored.ordering) >= 0))

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """The record itself."""
        return Outcome.all(Choice.TAKE, len(incoming))


@hookimpl
def hoodoo_payload() -> type[EventTimePayload]:
    """The class behind the name."""
    return EventTimePayload
