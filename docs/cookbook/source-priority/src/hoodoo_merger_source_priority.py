"""The version of the most trusted source wins; of one source, the version with the greater ordering value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import SchemaError
from hoodoo.plugin import hookimpl, option
from hoodoo.record import Law, MergerConfig, Ordering, Outcome, RecordContext, Records
from hoodoo.schema.columns import check_columns

__version__ = "0.1.0"


@frozen
class SourcePriorityMerger:
    """Merger that judges rows and deletes by the column of their source.

    A delete without columns, or without an ordering value, removes the row.
    """

    priority: tuple[str, ...] = option(help="Names of sources, the most trusted first; all others follow.")
    column: str = option(default="source", help="Text column with the source of a version.")

    laws = frozenset({Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    whole_versions = True

    @property
    def keeps_with_deletes(self) -> tuple[str, ...]:
        """Return the column of the source: without it, a delete in a log would have no source."""
        return (self.column,)

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return the column of the source."""
        return (self.column,)

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise `SchemaError` if the table has no text column for the source."""
        check_columns(schema, [self.column], "option 'column' of 'source-priority'")
        if not pa.types.is_string(schema.field(self.column).type):
            raise SchemaError(
                f"column '{self.column}' is {schema.field(self.column).type}, and merger 'source-priority' takes names "
                "of sources; convert it, or name another column in option 'column'"
            )

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE if the newer version is not of a less trusted source, and not late within its source."""
        erased, erases = (side.is_delete & (~side.has_data | side.ordering.absent) for side in (older, newer))
        by_trust = self._trust(newer).compare(self._trust(older)) >= 0
        later = np.where(erases, newer.ordering.compare(older.ordering) >= 0, by_trust)
        return Outcome.take_where(np.where(erases == erased, later, erases))

    def _trust(self, records: Records) -> Ordering:
        """Return the rank of the source and the ordering values; the name orders sources without priority."""
        source, values = records.column(self.column), records.ordering
        place = pc.fill_null(pc.index_in(source, pa.array(self.priority, pa.string())), len(self.priority))
        trust = pc.if_else(source.is_valid(), pc.negate(place), pa.scalar(None, pa.int32()))
        return Ordering.of(("trust", *values.fields, "name"), (trust, *values.values, source), len(records))


@hookimpl
def hoodoo_merger() -> type[SourcePriorityMerger]:
    """Return the class of the plugin."""
    return SourcePriorityMerger
