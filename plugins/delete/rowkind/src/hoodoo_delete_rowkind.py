"""A row is a delete if a column of your choice has the row kind `-D` or `-U`."""

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
    """Delete rule of Paimon's `rowkind.field`: `-U` and `-D` are deletes, `+I` and `+U` are not.

    All other values, also null, are errors.
    """

    field: str = option(key="rowkind.field", help="The column of the row kind.")

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """Return the column of the row kind."""
        return (self.field,)

    def check(self, schema: pa.Schema, context: DeleteContext) -> None:
        """Raise `SchemaError` if the table does not have the column.

        A batch may lack the column, and then has no deletes.
        """
        if field_at(schema, self.field) is None:
            raise SchemaError(
                f"'rowkind.field' names column '{self.field}', which the table does not have; name one of "
                f"{', '.join(schema.names)}",
                code="column_missing",
            )

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """Return the mask of the deletes: one boolean per row.

        Raises:
            DataError: A value of the column is null or not a row kind.
        """
        column = column_at(rows, self.field)
        if column is None:
            return np.zeros(rows.num_rows, dtype=bool)
        kinds = column.cast(pa.string())
        wrong = kinds.filter(pc.invert(pc.is_in(kinds, value_set=pa.array(KINDS))))
        if len(wrong):
            raise DataError(
                f"column '{self.field}' has values that are not row kinds in {len(wrong)} "
                f"row{'' if len(wrong) == 1 else 's'} (such as {examples_of(wrong)}); use {', '.join(KINDS)}",
                code="bad_rowkind",
            )
        return matches_text(rows, self.field, "-U", "-D")


@hookimpl
def hoodoo_delete_rule() -> type[RowKind]:
    """Return the class of the plugin."""
    return RowKind
