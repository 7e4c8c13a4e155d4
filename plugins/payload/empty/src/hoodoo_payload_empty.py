"""Every record deletes the row of its key, and no record is ever written."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class Empty:
    """Hudi's EmptyHoodieRecordPayload: what its delete operation makes of rows. Ordering values do not count."""

    laws = frozenset({Law.ORDER_INDEPENDENT, Law.REPLAY_SAFE, Law.DELETE_STICKY, Law.DEDUPE_IS_COMBINE})

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Never."""
        return False

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """The earlier arrival; either of them deletes."""
        return Outcome.all(Choice.KEEP, len(newer))

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """A delete."""
        return Outcome.all(Choice.DELETE, len(incoming))

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Nothing."""
        return Outcome.all(Choice.KEEP, len(incoming))


@hookimpl
def hoodoo_payload() -> type[Empty]:
    """The class behind the name."""
    return Empty
