"""The version with the larger value of a column of your choice wins, or the longest text stays.

A tie goes to the newer.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.plugin import hookimpl, option
from hoodoo.record import Law, MergerConfig, Ordering, Outcome, RecordContext, Records

__version__ = "1.2.0"


@frozen
class Max:
    """Merger by the larger value of a column; a null is the smallest value. The column of a delete decides, too."""

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})

    column: str = option(help="Column whose larger value wins.")

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False, because the column decides instead of the ordering value."""
        return False

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE if the newer value is at least the older one, otherwise KEEP.

        Raises:
            ValueError: The table does not have the column.
        """
        if self.column not in context.schema.names:
            raise ValueError(f"option 'column' is '{self.column}', which the table does not have")
        ours, theirs = (Ordering.of((self.column,), (side.column(self.column),), len(side)) for side in (newer, older))
        return Outcome.take_where(ours.compare(theirs) >= 0)


@frozen
class Longest:
    """Aggregate function that keeps the longest text; a null is the shortest text."""

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    takes = "text"

    def accepts(self, type_: pa.DataType) -> bool:
        """Return whether the type is `string`."""
        return bool(pa.types.is_string(type_))

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Return the newer text if it is not shorter, else the older one."""
        longer = pc.greater_equal(pc.utf8_length(newer), pc.utf8_length(older))
        return pc.coalesce(pc.if_else(longer, newer, older), older, newer)


@hookimpl
def hoodoo_aggregate() -> type[Longest]:
    """Return the class of the function."""
    return Longest


@hookimpl
def hoodoo_merger() -> type[Max]:
    """Return the class of the plugin."""
    return Max
