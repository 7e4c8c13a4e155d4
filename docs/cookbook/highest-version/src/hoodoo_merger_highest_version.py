"""The highest version wins; a soft delete is a row with a flag, which the table keeps so that late versions lose."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import SchemaError
from hoodoo.plugin import hookimpl, option
from hoodoo.record import Law, MergerConfig, Ordering, Outcome, RecordContext, Records

__version__ = "0.1.0"

ROW, HARD_DELETE = 0, 2


@frozen
class HighestVersionMerger:
    """Merger whose ordering columns hold the version. Of equal versions, a soft delete wins over a row."""

    flag: str = option(default="deleted", help="Boolean column that is true in a soft delete.")

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
    delete_rules = ("none",)

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return the flag, which decides between equal versions."""
        return (self.flag,)

    def adds(self, schema: pa.Schema, config: MergerConfig) -> Iterable[pa.Field]:
        """Return the flag, if the rows lack it."""
        return () if self.flag in schema.names else (pa.field(self.flag, pa.bool_()),)

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise `SchemaError` if the flag is not boolean."""
        if self.flag in schema.names and not pa.types.is_boolean(schema.field(self.flag).type):
            raise SchemaError(
                f"column '{self.flag}' is {schema.field(self.flag).type}, and merger 'highest-version' takes a boolean "
                "flag of soft deletes; convert it, or name another column in option 'flag'"
            )

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE if the newer version is not lower, otherwise KEEP. A delete without version is final."""
        erased, erases = (side.is_delete & side.ordering.absent for side in (older, newer))
        later = self._rank(newer).compare(self._rank(older)) >= 0
        return Outcome.take_where(erases | (~erased & later))

    def _rank(self, records: Records) -> Ordering:
        """Return the version, followed by the kind of the record: row, soft delete, delete."""
        flagged = pc.fill_null(records.column(self.flag), False).to_numpy(zero_copy_only=False)
        kind = np.where(records.is_delete, HARD_DELETE, ROW + flagged)
        version = records.ordering
        return Ordering.of((*version.fields, "kind"), (*version.values, pa.array(kind, pa.int64())), len(records))


@hookimpl
def hoodoo_merger() -> type[HighestVersionMerger]:
    """Return the class of the plugin."""
    return HighestVersionMerger
