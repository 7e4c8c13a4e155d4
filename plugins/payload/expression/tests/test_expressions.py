"""Expressions over columns: null logic compared with DuckDB, NaN as in Spark, and errors that explain."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hoodoo_payload_expression.expressions import Column, columns_of, holds, parse_expression, value_of

from hoodoo.errors import DataError, OptionError
from hoodoo.record import Ordering, Records, Source

NAN = math.nan
EVERY = list(itertools.product([None, 0, 1, 2], [None, "a", "b"], [None, True, False]))
TABLE = pa.table(
    {
        "n": pa.array([row[0] for row in EVERY], pa.int64()),
        "v": pa.array([row[1] for row in EVERY], pa.string()),
        "yes": pa.array([row[2] for row in EVERY], pa.bool_()),
    }
)


def records(table: pa.Table) -> Records:
    length = table.num_rows
    keys = pa.array(map(str, range(length)), pa.string())
    operation, has_data = np.zeros(length, dtype=np.int8), np.ones(length, dtype=bool)
    return Source(table, table.schema, keys, Ordering.of((), [], length), operation, has_data).records()


def true_for(given: Any, table: pa.Table, target: pa.Table | None = None) -> list[bool]:
    sides = {"s": records(table), "t": records(table if target is None else target)}
    found: list[bool] = holds(parse_expression(given), sides, "the condition").tolist()
    return found


CONDITIONS = [
    (["eq", "s.n", 1], "n = 1"),
    (["not", ["eq", "s.n", 1]], "not n = 1"),
    (["ne", "s.n", 1.5], "n <> 1.5"),
    (["lt", "s.n", 1], "n < 1"),
    (["le", 1, "s.n"], "1 <= n"),
    (["gt", "s.v", "a"], "v > 'a'"),
    (["not", ["ge", "s.v", "b"]], "not v >= 'b'"),
    (["eq", "s.v", None], "v = null"),
    (["or", ["eq", "s.n", 1], "s.yes"], "n = 1 or yes"),
    (["and", ["not", ["eq", "s.n", 1]], "s.yes", ["is_not_null", "s.v"]], "not n = 1 and yes and v is not null"),
    (["not", ["and", ["eq", "s.n", 1], "s.yes"]], "not (n = 1 and yes)"),
    (["is_null", ["or", "s.yes", None]], "(yes or null) is null"),
    (["in", "s.n", [0, 2]], "n in (0, 2)"),
    (["not", ["in", "s.v", ["a", None]]], "not v in ('a', null)"),
    (["is_null", ["in", "s.v", ["a", None]]], "(v in ('a', null)) is null"),
    (["eq", ["plus", "s.n", ["mul", "s.n", 2]], ["minus", 9, "s.n"]], "n + n * 2 = 9 - n"),
    (["eq", ["minus", "s.n", None], 1], "n - null = 1"),
    ("s.yes", "yes"),
    (None, "null"),
]


@pytest.mark.parametrize(("given", "sql"), CONDITIONS, ids=[sql for _, sql in CONDITIONS])
def test_null_logic_is_that_of_sql(given: Any, sql: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.from_arrow(TABLE).query("rows", f"select coalesce(({sql})::boolean, false) from rows").fetchall()

    assert true_for(given, TABLE) == [found for (found,) in rows]


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        ("eq", [True, False, False, False]),
        ("ne", [False, True, True, False]),
        ("lt", [False, False, True, False]),
        ("le", [True, False, True, False]),
        ("gt", [False, True, False, False]),
        ("ge", [True, True, False, False]),
    ],
)
def test_nan_is_the_greatest_number_and_equals_itself(function: str, wanted: list[bool]) -> None:
    one, other = pa.table({"x": [NAN, NAN, 1.0, NAN]}), pa.table({"x": [NAN, 1.0, NAN, None]})

    assert true_for([function, "s.x", "t.x"], one, other) == wanted


def test_literals_have_the_type_of_the_other_operand() -> None:
    """A text literal is compared with a date; `lit` marks a text that looks like a column."""
    day = pa.table({"d": pa.array([0, 19000], pa.date32()), "v": ["s.d", "x"]})

    assert true_for(["ge", "s.d", "2022-01-01"], day) == [False, True]
    assert true_for(["eq", "s.v", ["lit", "s.d"]], day) == [True, False]


def test_paths_reach_into_structs() -> None:
    table = pa.table({"a": pa.array([{"b": 1}, {"b": None}, None], pa.struct([("b", pa.int64())]))})

    assert true_for(["eq", "s.a.b", 1], table) == [True, False, False]
    assert columns_of(parse_expression(["and", ["eq", "s.a.b", 1], "t.c"])) == {Column("s", "a.b"), Column("t", "c")}


def test_values_are_of_the_type_that_they_are_for() -> None:
    sides = {"s": records(pa.table({"n": [1, None]}))}

    assert value_of(parse_expression(["plus", "s.n", 1]), sides, pa.int32(), "it") == pa.array([2, None], pa.int32())
    assert value_of(parse_expression("x"), sides, pa.string(), "it") == pa.array(["x", "x"])
    assert value_of(parse_expression(None), sides, pa.list_(pa.int8()), "it") == pa.nulls(2, pa.list_(pa.int8()))


def test_impossible_values_are_rejected() -> None:
    """The error is a `DataError` if values cause it, and an `OptionError` if the expression causes it."""
    sides = {"s": records(pa.table({"n": [2**62], "v": ["x"]}))}

    with pytest.raises(DataError, match="it cannot be computed for some rows: overflow"):
        value_of(parse_expression(["mul", "s.n", 4]), sides, pa.int64(), "it")
    with pytest.raises(OptionError, match="it does not fit"):
        value_of(parse_expression("x"), sides, pa.int64(), "it")
    with pytest.raises(OptionError, match=r"names column 's\.m', which does not exist"):
        holds(parse_expression(["eq", "s.m", 1]), sides, "it")
    with pytest.raises(OptionError, match="must be boolean, not string"):
        holds(parse_expression(["or", "s.v", True]), sides, "it")


@pytest.mark.parametrize("given", [[], {}, [1], ["in", "s.v", "a"], ["in", "s.v", []], ["not"], ["and", True], ["lit"]])
def test_invalid_expressions_are_rejected(given: Any) -> None:
    with pytest.raises(ValueError, match=r"expression|argument|takes|no function"):
        parse_expression(given)
