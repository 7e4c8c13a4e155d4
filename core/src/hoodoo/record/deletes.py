"""Hudi's ways to say that a row is a delete, as masks over columns; delete rules are made of these."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hoodoo.record.context import DeleteContext
from hoodoo.schema.columns import column_at

__all__ = ["FLAG_COLUMN", "OPERATION_COLUMN", "flagged", "marked", "operation_deletes"]

FLAG_COLUMN = "_hoodie_is_deleted"
OPERATION_COLUMN = "_hoodie_operation"

Mask = NDArray[np.bool_]


def flagged(rows: pa.Table) -> Mask:
    """True where `_hoodie_is_deleted` is true; a row without the column, or with null in it, is no delete."""
    flag = column_at(rows, FLAG_COLUMN)
    if flag is None or pa.types.is_null(flag.type):
        return np.zeros(rows.num_rows, dtype=bool)
    if not pa.types.is_boolean(flag.type):
        flag = pc.equal(pc.utf8_lower(flag.cast(pa.string())), "true")
    return _mask(flag)


def marked(rows: pa.Table, context: DeleteContext) -> Mask:
    """True where the text of the delete column equals the marker, case-sensitive; null is no delete."""
    column = None if context.field is None else column_at(rows, context.field)
    if column is None or pa.types.is_null(column.type):
        return np.zeros(rows.num_rows, dtype=bool)
    return _mask(pc.equal(column.cast(pa.string()), context.marker))


def operation_deletes(rows: pa.Table) -> Mask:
    """True where `_hoodie_operation` is D or -U."""
    operation = column_at(rows, OPERATION_COLUMN)
    if operation is None or pa.types.is_null(operation.type):
        return np.zeros(rows.num_rows, dtype=bool)
    return _mask(pc.is_in(operation.cast(pa.string()), value_set=pa.array(["D", "-U"])))


def _mask(array: pa.Array) -> Mask:
    mask: Mask = array.fill_null(False).to_numpy(zero_copy_only=False)
    return mask
