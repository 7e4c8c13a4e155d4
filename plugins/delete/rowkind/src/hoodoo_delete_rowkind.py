"""A row is a delete where a column of your choice holds the row kind `-D` or `-U`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.errors import DataError, SchemaError
from hoodoo.plugin import hookimpl, option
from hoodoo.record import DeleteContext
from hoodoo.record.delete_markers import matches_text
from hoodoo.schema.columns import column_at, examples_of, field_at

__version__ = "0.1.0"

KINDS = ("+I", "-U", "+U", "-D")


@frozen
class RowKind:
    """Paimon's `rowkind.field`: `+I` and `+U` are rows, `-U` and `-D` deletes; anything else, or null, is an error."""

    field: str = option(key="rowkind.field", help="The column that holds the row kind.")

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """The column of the row kind."""
        return (self.field,)

    def check(self, schema: pa.Schema, context: DeleteContext) -> None:
        """Raise `SchemaError` where the table has no such column; a batch may lack it, and has no deletes then."""
        if field_at(schema, self.field) is None:
            raise SchemaError(
                f"there is no column '{self.field}', which 'rowkind.field' names; there are {', '.join(schema.names)}",
                code="column_missing",
            )

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """One boolean per row.

        Raises:
            DataError: what is in the column is no row kind.
        """
        column = column_at(rows, self.field)
        if column is None:
            return np.zeros(rows.num_rows, dtype=bool)
        kinds = column.cast(pa.string())
        wrong = kinds.filter(pc.invert(pc.is_in(kinds, value_set=pa.array(KINDS))))
        if len(wrong):
            raise DataError(
                f"column '{self.field}' holds no row kind in {len(wrong)} rows (such as {examples_of(wrong)}); "
                f"it takes {', '.join(KINDS)}",
                code="bad_rowkind",
            )
        return matches_text(rows, self.field, "-U", "-D")


@hookimpl
def hoodoo_delete_rule() -> type[RowKind]:
    """The class behind the name."""
    return RowKind
