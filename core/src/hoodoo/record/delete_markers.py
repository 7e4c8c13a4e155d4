"""Hudi's ways to say that a row is a delete, as masks over columns; delete rules are made of these."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hoodoo.record.context import DeleteContext
from hoodoo.schema.columns import column_at

__all__ = ["FLAG_COLUMN", "OPERATION_COLUMN", "flagged", "marked", "operation_deletes", "said"]

FLAG_COLUMN = "_hoodie_is_deleted"
OPERATION_COLUMN = "_hoodie_operation"

Mask = NDArray[np.bool_]


def flagged(rows: pa.Table) -> Mask:
    """True where `_hoodie_is_deleted` is true; a row without the column, or with null in it, is no delete."""
    return said(rows, FLAG_COLUMN, "true", any_case=True)


def marked(rows: pa.Table, context: DeleteContext) -> Mask:
    """True where the text of the delete column equals the marker, case-sensitive; null is no delete."""
    if context.field is None or context.marker is None:
        return np.zeros(rows.num_rows, dtype=bool)
    return said(rows, context.field, context.marker)


def operation_deletes(rows: pa.Table) -> Mask:
    """True where `_hoodie_operation` is D or -U."""
    return said(rows, OPERATION_COLUMN, "D", "-U")


def said(rows: pa.Table, path: str, *texts: str, any_case: bool = False) -> Mask:
    """True where a column holds one of some texts, or what is written so; not where it is null or there is none.

    Args:
        rows: The rows.
        path: The column; a dotted path reaches into structs.
        texts: In lower case if `any_case`.
        any_case: Whether capitals are like small letters.
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
