"""Ranges of the values of a column in file slices, from the statistics of their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.filegroup import FileSlice
from hoodoo.metadata_table import ColumnStats
from hoodoo.properties import TableProperties
from hoodoo.reading.indexed.filter_tree import Node, columns_of
from hoodoo.reading.path_columns import PathColumns
from hoodoo.storage import name_of

__all__ = ["ColumnRanges", "has_ranges", "ranged_columns"]

_FIRST_SURROGATE = "\ud800"


@frozen(eq=False)
class ColumnRanges:
    """Ranges of the values of a column, one for each file slice or partition.

    Attributes:
        low: The lower bounds of the ranges; null for a range without one.
        high: The upper bounds of the ranges; null for a range without one.
        may_be_null: Whether a value may be null.
        may_be_value: Whether a value may be other than null.
    """

    low: pa.Array
    high: pa.Array
    may_be_null: NDArray[np.bool_]
    may_be_value: NDArray[np.bool_]

    @classmethod
    def of(cls, type_: pa.DataType, slices: Sequence[FileSlice], stats: Iterable[ColumnStats]) -> ColumnRanges:
        """Return the range of a column in each file slice.

        The range of a slice is that of all its files together, because a merge may take each column from another file.
        It has no bounds if the statistics of one of the files are missing.

        Args:
            type_: The type of the column in the table, for which `has_ranges` is true.
            slices: The file slices, in the order of the ranges.
            stats: The statistics of the column, also of other files.
        """
        by_name = _by_name(stats)
        return cls._of(
            type_,
            (
                _joined(type_, [by_name.get(name_of(path)) for path in file_slice.paths])
                if file_slice.logs
                else _range(type_, by_name.get(name_of(file_slice.path or "")))
                for file_slice in slices
            ),
        )

    @classmethod
    def of_stats(cls, type_: pa.DataType, stats: Iterable[ColumnStats | None]) -> ColumnRanges:
        """Return one range for each item of `stats`; a range has no bounds if the item is None."""
        return cls._of(type_, (_range(type_, one) for one in stats))

    @classmethod
    def _of(cls, type_: pa.DataType, ranges: Iterable[_Range]) -> ColumnRanges:
        lows, highs, nulls, values = [], [], [], []
        for low, high, null, value in ranges:
            lows.append(low)
            highs.append(high)
            nulls.append(null)
            values.append(value)
        return cls(_array(lows, type_), _array(highs, type_), np.array(nulls, bool), np.array(values, bool))


_Range = tuple[Any, Any, bool, bool]
_UNKNOWN: _Range = (None, None, True, True)


def ranged_columns(node: Node | None, properties: TableProperties, table: pa.Schema) -> list[str]:
    """Return the names of the columns of a filter that files contain and whose statistics can exclude files.

    Args:
        node: The structure of the filter.
        properties: The properties of the table.
        table: The columns of the table, including meta columns.
    """
    from_path = PathColumns.of(properties).names
    return sorted(
        name
        for name in columns_of(node)
        if name in table.names and name not in from_path and has_ranges(table.field(name).type)
    )


def has_ranges(type_: pa.DataType) -> bool:
    """Return whether statistics of columns of a type can exclude files.

    Statistics of floats cannot: they leave out NaN, which is greater than each number for Spark and in no range for
    Arrow. Units of timestamps other than microseconds are not used, because Hudi's own releases confuse them.
    """
    return bool(
        pa.types.is_integer(type_)
        or pa.types.is_boolean(type_)
        or pa.types.is_string(type_)
        or pa.types.is_date32(type_)
        or pa.types.is_decimal128(type_)
        or (pa.types.is_timestamp(type_) and type_.unit == "us")
    )


def _by_name(stats: Iterable[ColumnStats]) -> Mapping[str, ColumnStats | None]:
    """Return the statistics by file name; None for a name that occurs in several partitions."""
    found: dict[str, ColumnStats | None] = {}
    for one in stats:
        found[one.file] = None if one.file in found else one
    return found


def _joined(type_: pa.DataType, files: Sequence[ColumnStats | None]) -> _Range:
    ranges = [_range(type_, stats) for stats in files]
    with_values = [one for one in ranges if one[3]]
    nulls = any(one[2] for one in ranges)
    if not with_values:
        return None, None, nulls, False
    lows, highs = [one[0] for one in with_values], [one[1] for one in with_values]
    if None in lows or None in highs:
        return None, None, nulls, True
    return min(lows), max(highs), nulls, True


def _range(type_: pa.DataType, stats: ColumnStats | None) -> _Range:
    """Return the bounds of a file, whether it may have nulls, and whether it may have other values."""
    if stats is None or stats.values <= 0 or not 0 <= stats.nulls <= stats.values:
        return _UNKNOWN
    if stats.nulls == stats.values:
        return None, None, True, False
    may_be_null = stats.nulls > 0
    if not (_is_bound(stats.minimum, type_) and _is_bound(stats.maximum, type_)):
        return None, None, may_be_null, True
    # bounds in the wrong order come from a writer with another order of values
    if stats.minimum > stats.maximum:
        return None, None, may_be_null, True
    return stats.minimum, stats.maximum, may_be_null, True


def _is_bound(value: Any, type_: pa.DataType) -> bool:
    """Return whether a stored minimum or maximum is a bound of values of a type."""
    if isinstance(value, bool):
        return bool(pa.types.is_boolean(type_))
    if isinstance(value, int):
        return bool(pa.types.is_integer(type_)) and value.bit_length() < type_.bit_width
    if pa.types.is_string(type_):
        # Java compares texts by UTF-16 code units: with surrogates in them, the order is not that of the bytes
        return isinstance(value, str) and (value.isascii() or max(value) < _FIRST_SURROGATE)
    if pa.types.is_date32(type_):
        return isinstance(value, date) and not isinstance(value, datetime)
    if pa.types.is_decimal128(type_):
        return isinstance(value, Decimal) and value.is_finite() and _fits(value, type_)
    is_time = pa.types.is_timestamp(type_) and isinstance(value, datetime)
    return is_time and (value.tzinfo is None) == (type_.tz is None)


def _fits(value: Decimal, type_: pa.DataType) -> bool:
    try:
        pa.scalar(value, type_)
    except pa.ArrowInvalid:
        return False
    return True


def _array(values: list[Any], type_: pa.DataType) -> pa.Array:
    return pa.array(values, type_)
