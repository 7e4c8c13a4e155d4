"""The range of a column in a file slice contains all values in the slice's files, or has no bounds."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from hoodoo.filegroup import FileSlice, LogFile
from hoodoo.metadata_table import ColumnStats
from hoodoo.reading.indexed.column_ranges import ColumnRanges, has_ranges


def stats(file, low, high, values=5, nulls=0):
    return ColumnStats(file, "x", low, high, values, nulls, 1, 1)


def found(type_, *given, logs=()):
    names = [f".log{n}" for n in range(len(logs))]
    files = tuple(LogFile(f"p/{name}", 1, "1", n, "") for n, name in enumerate(names))
    one = FileSlice("p", "f", "1", "p/base", 1, files)
    ranges = ColumnRanges.of(type_, [one], [*given, *(s for s in logs if s is not None)])
    return ranges.low[0].as_py(), ranges.high[0].as_py(), bool(ranges.may_be_null[0]), bool(ranges.may_be_value[0])


UNKNOWN = (None, None, True, True)


@pytest.mark.parametrize(
    ("type_", "low", "high"),
    [
        (pa.int32(), 1, 2),
        (pa.string(), "a", "ä"),
        (pa.date32(), date(2026, 1, 1), date(2026, 1, 2)),
        (pa.decimal128(6, 2), Decimal("1.50"), Decimal("2.250")),
        (pa.timestamp("us", "UTC"), datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)),
        (pa.timestamp("us"), datetime(2026, 1, 1), datetime(2026, 1, 2)),
        (pa.bool_(), False, True),
    ],
)
def test_bounds_of_types(type_, low, high):
    assert has_ranges(type_)
    assert found(type_, stats("base", low, high)) == (low, high, False, True)


@pytest.mark.parametrize(
    ("type_", "low", "high"),
    [
        (pa.int32(), 1, 2**40),
        (pa.int32(), "1", "2"),
        (pa.int32(), False, True),
        (pa.string(), 1, 2),
        # in the order of Java, U+FF5E comes after the other character
        (pa.string(), "😀", "\uff5e"),
        (pa.string(), "b", "a"),
        (pa.date32(), 1, 2),
        (pa.date32(), datetime(2026, 1, 1), datetime(2026, 1, 2)),
        (pa.decimal128(6, 2), Decimal("1.505"), Decimal("2")),
        (pa.timestamp("us", "UTC"), datetime(2026, 1, 1), datetime(2026, 1, 2)),
        (pa.timestamp("us"), 1, 2),
        (pa.string(), None, "x"),
    ],
)
def test_statistics_of_another_type_have_no_bounds(type_, low, high):
    assert found(type_, stats("base", low, high)) == (None, None, False, True)


def test_nulls():
    assert found(pa.int64(), stats("base", 1, 2, nulls=1)) == (1, 2, True, True)
    assert found(pa.int64(), stats("base", None, None, 5, 5)) == (None, None, True, False)
    assert found(pa.int64(), stats("base", 1, 2, 0, 0)) == UNKNOWN
    assert found(pa.int64(), stats("base", 1, 2, 5, -1)) == UNKNOWN


def test_files_without_statistics_have_any_value():
    assert found(pa.int64()) == UNKNOWN
    assert found(pa.int64(), stats("other", 1, 2)) == UNKNOWN
    # a name in two partitions
    assert found(pa.int64(), stats("base", 1, 2), stats("base", 1, 2)) == UNKNOWN


def test_a_slice_has_the_values_of_all_its_files():
    """The range covers base file and logs, because a merge may take each column from another file."""
    base = stats("base", 1, 2)
    assert found(pa.int64(), base, logs=[stats(".log0", 8, 9), stats(".log1", 5, 6)]) == (1, 9, False, True)
    assert found(pa.int64(), base, logs=[stats(".log0", None, None, 3, 3)]) == (1, 2, True, True)
    assert found(pa.int64(), base, logs=[None]) == UNKNOWN
    assert found(pa.int64(), base, logs=[stats(".log0", "x", "y")]) == (None, None, False, True)
    nulls = stats("base", None, None, 3, 3)
    assert found(pa.int64(), nulls, logs=[stats(".log0", None, None, 3, 3)]) == (None, None, True, False)


@pytest.mark.parametrize(
    "type_",
    [
        pa.float64(),
        pa.float32(),
        pa.timestamp("ms"),
        pa.timestamp("ns"),
        pa.binary(),
        pa.list_(pa.int64()),
        pa.time64("us"),
    ],
)
def test_types_without_ranges(type_):
    assert not has_ranges(type_)
