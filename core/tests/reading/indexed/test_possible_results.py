"""A slice without a possible match has no matching row for any filter; simple filters exclude slices."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hoodoo.filegroup import FileSlice
from hoodoo.metadata_table import ColumnStats
from hoodoo.reading.indexed.column_ranges import ColumnRanges
from hoodoo.reading.indexed.filter_tree import filter_tree
from hoodoo.reading.indexed.possible_results import may_match

TYPES = {
    "n": pa.int64(),
    "i": pa.int32(),
    "s": pa.string(),
    "d": pa.date32(),
    "c": pa.decimal128(6, 2),
    "t": pa.timestamp("us", "UTC"),
    "b": pa.bool_(),
}
SCHEMA = pa.schema(list(TYPES.items()))
MAKE = {
    "n": lambda n: n - 4,
    "i": lambda n: n,
    "s": lambda n: ("", "a", "ab", "abc", "b", "ä", "zz", "a\x7f", "b")[n % 9],
    "d": lambda n: date(2026, 1, 1) + timedelta(n),
    "c": lambda n: Decimal(n - 4) / 4,
    "t": lambda n: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(microseconds=n),
    "b": lambda n: n % 2 == 0,
}


def rows_of(source, base):
    """Return a few rows with values near each other, some of them null."""
    count = source.randint(1, 4)

    def value(name, share):
        return None if source.random() < share else MAKE[name](max(0, base + source.randint(-1, 1)))

    shares = {name: source.choice([0, 0.3, 1]) for name in TYPES}
    return pa.table({name: [value(name, shares[name]) for _ in range(count)] for name in TYPES}, schema=SCHEMA)


def stats_of(table, name, file):
    column, bounds = table.column(name), pc.min_max(table.column(name))
    return ColumnStats(file, name, bounds["min"].as_py(), bounds["max"].as_py(), len(column), column.null_count, 1, 1)


def leaf(source):
    name = source.choice(list(TYPES))
    column, type_ = pc.field(name), TYPES[name]

    def literal():
        return pa.scalar(None if source.random() < 0.05 else MAKE[name](source.randint(0, 9)), type_)

    def values():
        return pa.array([literal().as_py() for _ in range(source.randint(0, 3))], type_)

    return source.choice(
        [
            lambda: column == literal(),
            lambda: column != literal(),
            lambda: column < literal(),
            lambda: column <= literal(),
            lambda: column > literal(),
            lambda: column >= literal(),
            lambda: (column >= literal()) & (column <= literal()),
            lambda: pc.scalar(literal()) < column,
            lambda: column.is_null(),
            lambda: column.is_valid(),
            lambda: column.isin(values()),
            lambda: pc.is_in(column, value_set=values(), skip_nulls=True),
            lambda: pc.starts_with(pc.field("s"), source.choice(["a", "ab", "ä", ""])),
            lambda: pc.field("b"),
            lambda: pc.field("n") > source.choice([0.5, -1.5, 3]),
            lambda: pc.field("n") == pc.field("i"),
        ]
    )()


def condition_of(source, depth=3):
    if depth == 0 or source.random() < 0.3:
        return leaf(source)
    one = condition_of(source, depth - 1)
    return source.choice(
        [
            lambda: ~one,
            lambda: one & condition_of(source, depth - 1),
            lambda: one | condition_of(source, depth - 1),
        ]
    )()


@pytest.mark.parametrize("seed", range(4))
def test_no_row_that_matches_is_left_out(seed):
    source = random.Random(seed)
    left_out = checked = 0
    for _ in range(30):
        tables = [rows_of(source, source.randint(0, 9)) for _ in range(8)]
        slices = [FileSlice("p", f"f{n}", "1", f"p/f{n}", 1) for n in range(8)]
        ranges = {
            name: ColumnRanges.of(
                type_, slices, [stats_of(table, name, f"f{n}") for n, table in enumerate(tables) if n or seed]
            )
            for name, type_ in TYPES.items()
        }
        for _ in range(5):
            condition = condition_of(source)
            found = may_match(filter_tree(condition, SCHEMA), ranges, 8)
            matches = np.array([table.filter(condition).num_rows > 0 for table in tables])
            assert not (matches & ~found).any(), condition
            left_out += int((~found).sum())
            checked += int((~matches).sum())
    # most slices without a match are left out
    assert left_out > checked / 2


def ranges(type_, *bounds):
    """Return the ranges of files with these least and greatest values."""
    slices = [FileSlice("p", f"f{n}", "1", f"p/f{n}", 1) for n in range(len(bounds))]
    stats = [ColumnStats(f"f{n}", "x", low, high, 5, 0, 1, 1) for n, (low, high) in enumerate(bounds)]
    return {"x": ColumnRanges.of(type_, slices, stats)}


X = pc.field("x")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (X == 5, [True, True, False]),
        (X != 5, [False, True, True]),
        (X < 5, [False, False, False]),
        (~(X < 6), [False, True, True]),
        (X > 8.5, [False, True, True]),
        (X.isin([1, 2, 9]), [False, True, False]),
        (X.isin(list(range(1000, 2000))), [False, False, False]),
        (X.isin(list(range(6, 2000))), [False, True, True]),
        (X.is_null(), [False, False, False]),
        ((X >= 6) & (X <= 7), [False, True, False]),
        ((X == 5) | (X == 20), [True, True, True]),
        (pa.scalar(None, pa.int64()) == X, [False, False, False]),
        (pc.scalar(False), [False, False, False]),
        (X + 1 == 99, [True, True, True]),
        (pc.field("y") == 99, [True, True, True]),
    ],
)
def test_slices_of_numbers(condition, expected):
    schema = pa.schema([("x", pa.int64()), ("y", pa.int64())])
    found = ranges(pa.int64(), (5, 5), (5, 9), (10, 20))
    assert may_match(filter_tree(condition, schema), found, 3).tolist() == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (pc.starts_with(X, "ab"), [True, False, True]),
        (~pc.starts_with(X, "a"), [False, True, True]),
        (pc.starts_with(X, "AB", ignore_case=True), [True, True, True]),
        (X == "b", [False, True, True]),
    ],
)
def test_slices_of_texts(condition, expected):
    found = ranges(pa.string(), ("a", "abc"), ("b", "c"), ("", "zz"))
    found["x"] = ColumnRanges(found["x"].low, found["x"].high, np.zeros(3, bool), np.ones(3, bool))
    if condition.equals(~pc.starts_with(X, "a")):
        # the function is true for some values, and false for others: only its bounds decide
        expected = [True, True, True]
    assert may_match(filter_tree(condition, pa.schema([("x", pa.string())])), found, 3).tolist() == expected


def test_values_that_cannot_be_compared_decide_nothing():
    node = filter_tree(X == "b", pa.schema([("x", pa.string())]))
    assert may_match(node, ranges(pa.date32(), (date(2026, 1, 1), date(2026, 1, 2))), 1).tolist() == [True]
