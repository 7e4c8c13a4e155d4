"""Aggregate functions against Python's own arithmetic and collections, value by value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pyarrow as pa
import pytest
from hoodoo_library_aggregates import column_function
from hypothesis import given, settings
from hypothesis import strategies as st

from hoodoo.errors import DataError, SchemaError, UnknownOption, UnknownPlugin

INT, TEXT, MONEY = pa.int64(), pa.string(), pa.decimal128(20, 2)
STRINGS, MAP = pa.list_(pa.string()), pa.map_(pa.string(), pa.int32())

ints = st.none() | st.integers(-(10**9), 10**9)
divisors = st.none() | st.integers(1, 10**9) | st.integers(-(10**9), -1)
bools = st.none() | st.booleans()
texts = st.none() | st.sampled_from(["", " ", "a", "b", "a,b", "b,,c", "c,c"])
lists = st.none() | st.lists(st.none() | st.sampled_from("abc"), max_size=4)
maps = st.none() | st.dictionaries(st.sampled_from("abcd"), st.none() | st.integers(0, 9), max_size=4)


def skipping_nulls(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: b if a is None else a if b is None else function(a, b)


def listagg(a: str | None, b: str | None) -> str | None:
    if b is None or not b.strip():
        return a if a is not None else b
    return b if a is None or not a.strip() else f"{a},{b}"


def listagg_distinct(a: str | None, b: str | None) -> str | None:
    if a is None or not a.strip() or b is None or not b.strip():
        return listagg(a, b)
    new = [part for part in dict.fromkeys(b.split(",")) if part.strip() and part not in a.split(",")]
    return ",".join([a, *new])


def collect_distinct(a: list[Any] | None, b: list[Any] | None) -> list[Any] | None:
    return None if a is None and b is None else list(dict.fromkeys([*(a or []), *(b or [])]))


def without(a: list[Any] | None, b: list[Any] | None) -> list[Any] | None:
    if a is None:
        return None
    taken, kept = Counter(b or []), []
    for item in a:
        if taken[item]:
            taken[item] -= 1
        else:
            kept.append(item)
    return kept


ADDING: list[tuple[str, pa.DataType, st.SearchStrategy[Any], Callable[[Any, Any], Any]]] = [
    ("sum", INT, ints, skipping_nulls(lambda a, b: a + b)),
    ("product", INT, ints, skipping_nulls(lambda a, b: a * b)),
    ("count", INT, ints, skipping_nulls(lambda a, b: a + b)),
    ("max", INT, ints, skipping_nulls(max)),
    ("min", INT, ints, skipping_nulls(min)),
    ("max", TEXT, texts, skipping_nulls(max)),
    ("min", TEXT, texts, skipping_nulls(min)),
    ("first_value", INT, ints, lambda a, b: a),
    ("first_non_null_value", INT, ints, lambda a, b: b if a is None else a),
    ("last_value", INT, ints, lambda a, b: b),
    ("last_non_null_value", STRINGS, lists, lambda a, b: a if b is None else b),
    ("bool_and", pa.bool_(), bools, skipping_nulls(lambda a, b: a and b)),
    ("bool_or", pa.bool_(), bools, skipping_nulls(lambda a, b: a or b)),
    ("listagg", TEXT, texts, listagg),
    ("listagg distinct", TEXT, texts, listagg_distinct),
    ("collect", STRINGS, lists, skipping_nulls(lambda a, b: a + b)),
    ("collect distinct", STRINGS, lists, collect_distinct),
    ("merge_map", MAP, maps, skipping_nulls(lambda a, b: {**a, **b})),
]
RETRACTING: list[tuple[str, pa.DataType, st.SearchStrategy[Any], Callable[[Any, Any], Any]]] = [
    ("sum", INT, ints, lambda a, b: a if b is None else (a or 0) - b),
    ("product", INT, divisors, lambda a, b: a if a is None or b is None else int(Decimal(a) / Decimal(b))),
    ("last_value", INT, ints, lambda a, b: None),
    ("last_non_null_value", INT, ints, lambda a, b: a if b is None else None),
    ("collect", STRINGS, lists, without),
    ("merge_map", MAP, maps, lambda a, b: None if a is None else {k: v for k, v in a.items() if k not in (b or {})}),
]


def run(name: str, type_: pa.DataType, pairs: list[tuple[Any, Any]], method: str) -> list[Any]:
    """Return the function's results for pairs, which are in slices of arrays, as in a batch of a file."""
    agg, _, distinct = name.partition(" ")
    function = column_function("x", {"agg": agg, **({"distinct": True} if distinct else {})}, "sum")
    older, newer = (
        pa.array([column[0], *column], type_).slice(1) for column in (list(c) for c in zip(*pairs, strict=True))
    )
    result = getattr(function, method)(older, newer)
    result.validate(full=True)
    assert result.type == type_
    return result.to_pylist(maps_as_pydicts="strict")  # type: ignore[no-any-return]


@pytest.mark.parametrize(("name", "type_", "values", "expected"), ADDING, ids=lambda value: str(value)[:24])
@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.data())
def test_two_values_become_one(
    data: st.DataObject, name: str, type_: pa.DataType, values: Any, expected: Callable[[Any, Any], Any]
) -> None:
    pairs = data.draw(st.lists(st.tuples(values, values), min_size=1, max_size=8))

    assert run(name, type_, pairs, "add") == [expected(a, b) for a, b in pairs]


@pytest.mark.parametrize(("name", "type_", "values", "expected"), RETRACTING, ids=lambda value: str(value)[:24])
@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_value_is_retracted(
    data: st.DataObject, name: str, type_: pa.DataType, values: Any, expected: Callable[[Any, Any], Any]
) -> None:
    pairs = data.draw(st.lists(st.tuples(values, values), min_size=1, max_size=8))

    assert run(name, type_, pairs, "retract") == [expected(a, b) for a, b in pairs]


def test_decimals_stay_exact_and_are_rounded_half_away_from_zero() -> None:
    a, b = Decimal("-123456789012345678.35"), Decimal("0.50")
    cent = Decimal("0.01")

    assert run("sum", MONEY, [(a, b)], "add") == [a + b]
    assert run("sum", MONEY, [(a, b), (None, b)], "retract") == [a - b, -b]
    assert run("product", MONEY, [(a, b)], "add") == [(a * b).quantize(cent, ROUND_HALF_UP)]
    assert run("product", MONEY, [(Decimal("1.00"), Decimal("3.00"))], "retract") == [Decimal("0.33")]


@pytest.mark.parametrize(
    ("type_", "small", "large"),
    [
        (pa.timestamp("us", "UTC"), datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 2, tzinfo=UTC)),
        (pa.date32(), date(2020, 1, 1), date(2020, 1, 2)),
        (pa.bool_(), False, True),
        (pa.binary(), b"a", b"b"),
        (MONEY, Decimal("1.10"), Decimal("1.20")),
    ],
)
def test_max_and_min_take_whatever_has_an_order(type_: pa.DataType, small: Any, large: Any) -> None:
    pairs = [(small, large), (large, small), (None, small), (large, None), (None, None)]

    assert run("max", type_, pairs, "add") == [large, large, small, large, None]
    assert run("min", type_, pairs, "add") == [small, small, small, large, None]


def test_nan_is_the_largest_number() -> None:
    pairs = [(math.nan, 1.0), (1.0, math.nan)]

    assert all(math.isnan(value) for value in run("max", pa.float64(), pairs, "add"))
    assert run("min", pa.float64(), pairs, "add") == [1.0, 1.0]


def test_items_of_structs_are_compared_by_value() -> None:
    type_ = pa.list_(pa.struct([("a", pa.int32()), ("b", pa.string())]))
    x, y, z = {"a": 1, "b": "p"}, {"a": 1, "b": None}, None

    assert run("collect distinct", type_, [([x, y, z], [y, x, z])], "add") == [[x, y, z]]
    assert run("collect", type_, [([x, y, z, x], [x, z])], "retract") == [[y, x]]


@pytest.mark.parametrize("name", ["max", "min", "count", "first_value", "first_non_null_value", "bool_or", "listagg"])
def test_a_function_without_retraction_raises(name: str) -> None:
    type_ = {"bool_or": pa.bool_(), "listagg": TEXT}.get(name, INT)
    values = pa.nulls(1, type_)

    with pytest.raises(DataError, match=r"'.*' of column 'x' cannot subtract .* ignore_retract") as refusal:
        column_function("x", {"agg": name}, "").retract(values, values)
    assert refusal.value.code == "retract_unsupported"
    assert column_function("x", {"agg": name, "ignore_retract": "true"}, "").retract(values, values) is values


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("sum", TEXT),
        ("product", pa.bool_()),
        ("count", pa.float64()),
        ("max", STRINGS),
        ("bool_and", INT),
        ("listagg", INT),
        ("collect", TEXT),
        ("collect distinct", pa.list_(STRINGS)),
        ("merge_map", STRINGS),
    ],
)
def test_a_column_of_another_type_is_refused(name: str, type_: pa.DataType) -> None:
    with pytest.raises(SchemaError, match=r"'.*' takes .*, and column 'x' is "):
        run(name, type_, [(None, None)], "add")


@pytest.mark.parametrize(
    ("name", "type_", "pair", "method"),
    [
        ("sum", pa.int32(), (2**31 - 1, 1), "add"),
        ("product", pa.int8(), (100, 2), "add"),
        ("product", INT, (1, 0), "retract"),
        ("sum", pa.decimal128(3, 2), (Decimal("9.99"), Decimal("0.01")), "add"),
    ],
)
def test_an_overflow_does_not_become_another_number(
    name: str, type_: pa.DataType, pair: tuple[Any, Any], method: str
) -> None:
    with pytest.raises(DataError, match="of column 'x' has a result that the column cannot hold") as refusal:
        run(name, type_, [pair], method)
    assert refusal.value.code == "overflow"


def test_a_count_counts_what_is_not_null() -> None:
    count = column_function("x", {"agg": "count"}, "").function

    assert count.prepare(pa.array([7, None, 0], pa.int32())).to_pylist() == [1, 0, 1]  # type: ignore[attr-defined]


def test_functions_and_their_options_are_named_where_they_are_wrong() -> None:
    with pytest.raises(UnknownPlugin, match=r"column 'x' .*no aggregate function named 'summ' .*; did you mean 'sum'"):
        column_function("x", {"agg": "summ"}, "")
    with pytest.raises(UnknownPlugin, match=r"column 'x' .*no .* function named 'zzz' .*; installed: .*bool-and, "):
        column_function("x", {"agg": "zzz"}, "")
    with pytest.raises(UnknownOption, match=r"'sum' \(hoodoo-aggregate-sum .*\) of column 'x' has no option 'delim"):
        column_function("x", {"agg": "sum", "delimiter": ";"}, "")
    with pytest.raises(UnknownOption, match="did you mean 'delimiter'"):
        column_function("x", {"agg": "listagg", "delimitr": ";"}, "")


def test_names_may_be_spelled_with_either_dash() -> None:
    assert column_function("x", {"agg": "LAST_non-null_value"}, "").name == "last-non-null-value"
    assert column_function("x", {}, "max").name == "max"
