"""Hudi's markers of deletes as masks over columns, for use in delete rules."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hoodoo.record.context import DeleteContext
from hoodoo.schema.columns import column_at

__all__ = ["FLAG_COLUMN", "OPERATION_COLUMN", "flagged", "marked", "matches_text", "operation_deletes"]

FLAG_COLUMN = "_hoodie_is_deleted"
OPERATION_COLUMN = "_hoodie_operation"

Mask = NDArray[np.bool_]


def flagged(rows: pa.Table) -> Mask:
    """Return a mask of rows whose `_hoodie_is_deleted` is true, as boolean or text; a missing column is False."""
    return matches_text(rows, FLAG_COLUMN, "true", any_case=True)


def marked(rows: pa.Table, context: DeleteContext) -> Mask:
    """Return a mask of rows whose delete column equals the marker, with its case; all False without these options."""
    if context.field is None or context.marker is None:
        return np.zeros(rows.num_rows, dtype=bool)
    return matches_text(rows, context.field, context.marker)


def operation_deletes(rows: pa.Table) -> Mask:
    """Return a mask of rows whose `_hoodie_operation` is D or -U."""
    return matches_text(rows, OPERATION_COLUMN, "D", "-U")


def matches_text(rows: pa.Table, path: str, *texts: str, any_case: bool = False) -> Mask:
    """Return a mask of rows whose column, as text, equals one of the texts; null or a missing column is False.

    Args:
        rows: n rows.
        path: The column; a dotted path refers to a field of a struct.
        texts: The texts, in lower case if `any_case` is true.
        any_case: Whether the comparison ignores case.

    Raises:
        pyarrow.ArrowException: The values of the column cannot be cast to text, such as lists and structs.
    """
    column = column_at(rows, path)
    if column is None or pa.types.is_null(column.type):
        return np.zeros(rows.num_rows, dtype=bool)
    if pa.types.is_boolean(column.type) and texts == ("true",):
        return _mask(column)
    values = column.cast(pa.string())
    return _mask(pc.is_in(pc.utf8_lower(values) if any_case else values, value_set=pa.array(texts)))


def _mask(array: pa.Array) -> Mask:
    mask: Mask = array.fill_null(False).to_numpy(zero_copy_only=False)
    return mask
