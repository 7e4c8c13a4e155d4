"""Strings that are not text and maps with a repeated key are found at any depth, and nothing else is."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoodoo.schema.invalid_values import invalid_text, repeated_map_keys

MAP = pa.map_(pa.string(), pa.int64())
TYPES = {
    "map": MAP,
    "list": pa.list_(MAP),
    "large list": pa.large_list(MAP),
    "fixed list": pa.list_(MAP, 2),
    "struct": pa.struct([("a", MAP), ("b", pa.int32())]),
    "map of maps": pa.map_(pa.string(), MAP),
    "deep": pa.list_(pa.struct([("m", pa.map_(pa.string(), pa.list_(MAP)))])),
}


def values_of(type_: pa.DataType, *, keys: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Return a strategy for values of a type, with nulls at every level."""
    if pa.types.is_map(type_):
        found: Any = st.lists(st.tuples(keys, values_of(type_.item_type, keys=keys)), max_size=20)
    elif pa.types.is_fixed_size_list(type_):
        found = st.lists(values_of(type_.value_type, keys=keys), min_size=2, max_size=2)
    elif pa.types.is_list(type_) or pa.types.is_large_list(type_):
        found = st.lists(values_of(type_.value_type, keys=keys), max_size=3)
    elif pa.types.is_struct(type_):
        found = st.fixed_dictionaries({field.name: values_of(field.type, keys=keys) for field in type_})
    else:
        found = st.integers(0, 9) if pa.types.is_integer(type_) else keys
    return st.none() | found


def repeats(value: Any, type_: pa.DataType) -> bool:
    """Return whether a value contains a map with a repeated key, computed with Python's sets."""
    if value is None:
        return False
    if pa.types.is_map(type_):
        names = [key for key, _ in value]
        return len(set(names)) < len(names) or any(repeats(item, type_.item_type) for _, item in value)
    if pa.types.is_nested(type_) and not pa.types.is_struct(type_):
        return any(repeats(item, type_.value_type) for item in value)
    return pa.types.is_struct(type_) and any(repeats(value[field.name], field.type) for field in type_)


@pytest.mark.parametrize("name", TYPES)
def test_repeated_keys_of_random_maps(name: str) -> None:
    type_ = TYPES[name]
    keys = st.sampled_from([f"k{n}" for n in range(40)])

    @settings(deadline=None)
    @given(st.lists(values_of(type_, keys=keys), max_size=8), st.integers(0, 3))
    def check(values: list[Any], start: int) -> None:
        column = pa.array(values, type_).slice(start)
        found = repeated_map_keys(column)
        expected = [repeats(value, type_) for value in values[start:]]
        assert (found is None and not any(expected)) or (found is not None and found.tolist() == expected)

    check()


def broken(values: pa.Array) -> pa.Array:
    """Return the values with strings that are not UTF-8: each `!!!` in them begins with the byte 0xFF instead."""
    schema = pa.schema([("c", values.type)])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.record_batch([values], schema=schema))
    data = sink.getvalue().to_pybytes().replace(b"!!!", b"\xff!!")
    return pa.ipc.open_stream(data).read_all().column("c").combine_chunks()


def has_mark(value: Any) -> bool:
    if isinstance(value, str):
        return "!!!" in value
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(has_mark(item) for item in items)


TEXTS = {
    "string": pa.string(),
    "large string": pa.large_string(),
    "list": pa.list_(pa.string()),
    "fixed list": pa.list_(pa.string(), 2),
    "struct": pa.struct([("a", pa.string()), ("b", pa.int64())]),
    "map": pa.map_(pa.string(), pa.string()),
    "deep": pa.list_(pa.struct([("m", pa.map_(pa.string(), pa.list_(pa.string())))])),
}


@pytest.mark.parametrize("name", TEXTS)
def test_random_bytes_that_are_not_text(name: str) -> None:
    type_ = TEXTS[name]
    texts = st.sampled_from(["a", "é", "", "!!!", "b!!!c"])

    @settings(deadline=None)
    @given(st.lists(values_of(type_, keys=texts), max_size=8), st.integers(0, 3))
    def check(values: list[Any], start: int) -> None:
        column = broken(pa.array(values, type_)).slice(start)
        found = invalid_text(column)
        expected = [has_mark(value) for value in values[start:]]
        assert (found is None and not any(expected)) or (found is not None and found.tolist() == expected)

    check()


def test_dictionaries_by_the_values_that_are_used() -> None:
    texts = broken(pa.array(["a", "!!!", "b"]))
    column = pa.DictionaryArray.from_arrays(pa.array([0, 2, None, 1]), texts)

    found = invalid_text(column)
    assert found is not None
    assert found.tolist() == [False, False, False, True]
    assert invalid_text(column.slice(0, 3)) is None


@pytest.mark.parametrize("type_", [pa.int64(), pa.binary(), pa.list_(pa.binary()), pa.map_(pa.binary(), pa.int64())])
def test_binary_values_may_have_any_bytes(type_: pa.DataType) -> None:
    assert invalid_text(pa.nulls(3, type_)) is None
    assert invalid_text(pa.array([b"\xff"])) is None
