"""Range of the values of a column, in a file or in a partition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from hoodoo.errors import SchemaError
from hoodoo.metadata_table.maintenance.statistics.stored_type import StoredType, plain_value

__all__ = ["Bounds", "ColumnRange", "bounds_of", "combined"]

Bounds = tuple[Any, Any] | None
"""The least and the greatest value as plain values; None if all values are null."""


class ColumnRange(Struct, frozen=True):
    """Range of the values of a column.

    Attributes:
        column: Name of the column; the path of a field of a nested column, with dots.
        type: The stored type of the bounds.
        bounds: The least and the greatest value, NaN as the greatest number; None if all values are null. In a base
            file, such a column has bounds of zero or False if its type is stored as numbers or booleans, as in Hudi.
        values: Number of values, including nulls.
        nulls: Number of nulls.
        size: Size in bytes; 0 for a log.
        raw_size: Size in bytes without compression; 0 for a log.
    """

    column: str
    type: StoredType
    bounds: Bounds
    values: int
    nulls: int
    size: int = 0
    raw_size: int = 0


def bounds_of(values: pa.Array, stored: StoredType) -> Bounds:
    """Return the bounds of a column's values."""
    type_ = values.type
    if pa.types.is_dictionary(type_):
        return bounds_of(values.dictionary_decode(), stored)
    if pa.types.is_floating(type_):
        return _float_bounds(values)
    if pa.types.is_timestamp(type_) or pa.types.is_time64(type_):
        values = values.cast(pa.int64())
    elif pa.types.is_date32(type_) or pa.types.is_time32(type_):
        values = values.cast(pa.int32())
    elif pa.types.is_fixed_size_binary(type_):
        values = values.cast(pa.binary())
    low, high = pc.min_max(values).as_py().values()
    return None if low is None else (plain_value(low, type_, stored), plain_value(high, type_, stored))


def _float_bounds(values: pa.Array) -> Bounds:
    """Return the bounds of floats; NaN is greater than other numbers, as in Spark."""
    numbers = np.asarray(values.drop_null().to_numpy(zero_copy_only=False))
    if not len(numbers):
        return None
    is_nan = np.isnan(numbers)
    real = numbers[~is_nan]
    low = float(real.min()) if len(real) else math.nan
    return low, math.nan if is_nan.any() else float(real.max())


def combined(ranges: Sequence[ColumnRange]) -> ColumnRange:
    """Return the range that contains the values of one or more ranges of a column.

    Raises:
        SchemaError: None of the types of the column contains the others.
    """
    typed = [found for found in ranges if found.bounds is not None]
    typed = typed or [found for found in ranges if found.type.wrapper] or list(ranges)
    widest = typed[0].type
    for found in typed[1:]:
        widest = _wider(widest, found.type, found.column)
    bounds = [_widened(found, widest) for found in typed if found.bounds is not None]
    return ColumnRange(
        ranges[0].column,
        widest,
        (min((low for low, _ in bounds), key=_rank), max((high for _, high in bounds), key=_rank)) if bounds else None,
        *(sum(getattr(found, name) for found in ranges) for name in ("values", "nulls", "size", "raw_size")),
    )


def _rank(value: Any) -> Any:
    """Return a key that sorts NaN after other numbers."""
    return (value != value, value) if isinstance(value, float) else value


_WIDTH = ("IntWrapper", "LongWrapper", "FloatWrapper", "DoubleWrapper")
_WHOLE = _WIDTH[:2]


def _wider(one: StoredType, other: StoredType, column: str) -> StoredType:
    """Return the type of two that contains the values of both."""
    if one == other:
        return one
    if one.is_decimal and other.is_decimal:
        return one if one.scale >= other.scale else other
    if one.wrapper in _WIDTH and other.wrapper in _WIDTH:
        return max(one, other, key=lambda type_: _WIDTH.index(type_.wrapper))
    if one.wrapper == other.wrapper:
        return other
    raise SchemaError(
        f"column '{column}' has statistics of the types {one.wrapper} and {other.wrapper}, which cannot be "
        "combined; use the table without the indexes column_stats and partition_stats ('hoodoo table index drop')",
        code="schema_fit",
    )


def _widened(found: ColumnRange, type_: StoredType) -> tuple[Any, Any]:
    """Return the bounds of a range, which has bounds, as values of a wider type."""
    assert found.bounds is not None
    low, high = found.bounds
    if found.type.is_decimal and type_.is_decimal:
        factor = 10 ** (type_.scale - found.type.scale)
        return low * factor, high * factor
    if found.type.wrapper in _WHOLE and type_.wrapper not in _WHOLE and type_.wrapper in _WIDTH:
        return float(low), float(high)
    return low, high
