"""Deletes are left out as if they had not come.

Give it alone, or beside the rules that find the deletes: `delete_rule="dms-op,ignore-delete"`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.plugin import hookimpl
from hoodoo.record import DeleteContext
from hoodoo.record.delete_markers import FLAG_COLUMN, OPERATION_COLUMN, flagged, marked, operation_deletes

__version__ = "0.1.0"


@frozen
class IgnoreDelete:
    """Paimon's `ignore-delete`: a row that is a delete is dropped, and what it would have deleted stays.

    That is what another rule beside it finds, and what `any-of` finds. The operation `delete` deletes all the same.
    """

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        """The flag, the operation, and the column of the custom marker."""
        return (FLAG_COLUMN, OPERATION_COLUMN, *((context.field,) if context.field else ()))

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> NDArray[np.bool_]:
        """No row is one."""
        return np.zeros(rows.num_rows, dtype=bool)

    def drops(self, rows: pa.Table, deletes: NDArray[np.bool_], context: DeleteContext) -> NDArray[np.bool_]:
        """The rows that are left out: those that the other rules found, and those of the built-in ways."""
        dropped: NDArray[np.bool_] = deletes | flagged(rows) | operation_deletes(rows) | marked(rows, context)
        return dropped


@hookimpl
def hoodoo_delete_rule() -> type[IgnoreDelete]:
    """The class behind the name."""
    return IgnoreDelete
