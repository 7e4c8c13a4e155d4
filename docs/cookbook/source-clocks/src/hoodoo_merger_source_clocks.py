"""Each source has a struct column with a clock of its own; a late version of one source does not affect the others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import SchemaError
from hoodoo.plugin import hookimpl, option
from hoodoo.plugin.helpers.partial_update import fillable
from hoodoo.record import Law, MergerConfig, Ordering, Outcome, RecordContext, Records
from hoodoo.schema.columns import field_at

__version__ = "0.1.0"


@frozen
class SourceClocksMerger:
    """Merger that finds the columns of sources in the schema, so that a new source needs no new option."""

    clock: str = option(default="ts", help="Field that each struct column of a source has; it orders its versions.")

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE, Law.DELETE_STICKY})

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False: the sources have no common clock."""
        return False

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise `SchemaError` if no column has a clock."""
        if not any(self._has_clock(schema, name) for name in schema.names):
            raise SchemaError(
                f"merger 'source-clocks' needs a struct column with a field '{self.clock}' for each source; the "
                f"columns are {', '.join(f'{field.name} {field.type}' for field in schema)}"
            )

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE with the later struct of each source and the last values of other columns that are not null.

        Return KEEP for a row after a delete, which is final.
        """
        patch = {name: self._later(older, newer, name) for name in fillable(context.schema, config.record_key)}
        take = newer.is_delete | ~older.is_delete
        return Outcome(take.astype(np.int8), patch, patched=~older.is_delete & ~newer.is_delete)

    def _later(self, older: Records, newer: Records, name: str) -> pa.Array:
        if not self._has_clock(newer.schema, name):
            return pc.coalesce(newer.column(name), older.column(name))
        before, now = (
            Ordering.of([name], [pc.struct_field(side.column(name), self.clock)], len(side)) for side in (older, newer)
        )
        replaces = newer.column(name).is_valid().to_numpy(zero_copy_only=False) & (now.compare(before) >= 0)
        return pc.if_else(pa.array(replaces), newer.column(name), older.column(name))

    def _has_clock(self, schema: pa.Schema, name: str) -> bool:
        return field_at(schema, f"{name}.{self.clock}") is not None


@hookimpl
def hoodoo_merger() -> type[SourceClocksMerger]:
    """Return the class of the plugin."""
    return SourceClocksMerger
