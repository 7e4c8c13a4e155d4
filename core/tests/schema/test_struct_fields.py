"""Fields of structs: values by name, and the same values under other names."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoodoo.schema.struct_fields import fitted, has_other_fields, named_type, relabelled

STORED = pa.struct(
    [
        ("a", pa.int32()),
        ("list", pa.list_(pa.struct([("b", pa.string()), ("c", pa.int32())]))),
        ("map", pa.map_(pa.string(), pa.struct([("d", pa.int32())]))),
    ]
)
ITEM = st.none() | st.fixed_dictionaries({"b": st.none() | st.text(max_size=3), "c": st.none() | st.integers(0, 9)})
ENTRY = st.tuples(st.text(max_size=2), st.none() | st.fixed_dictionaries({"d": st.none() | st.integers(0, 9)}))
VALUE = st.none() | st.fixed_dictionaries(
    {
        "a": st.none() | st.integers(-5, 5),
        "list": st.none() | st.lists(ITEM, max_size=3),
        "map": st.none() | st.lists(ENTRY, max_size=2, unique_by=lambda entry: entry[0]),
    }
)
LATER = pa.struct(
    [
        ("map", pa.map_(pa.string(), pa.struct([("e", pa.string()), ("d", pa.int64())]))),
        ("new", pa.float64()),
        ("list", pa.large_list(pa.struct([("c", pa.int64()), ("b", pa.string())]))),
    ]
)


def later(value: dict | None) -> dict | None:
    """Return a value as the later type has it."""
    if value is None:
        return None
    items, entries = value["list"], value["map"]
    return {
        "map": entries and [(key, each and {"e": None, "d": each["d"]}) for key, each in entries],
        "new": None,
        "list": items and [each and {"c": each["c"], "b": each["b"]} for each in items],
    }


@given(st.lists(VALUE, max_size=8), st.integers(0, 4))
def test_fields_are_found_by_name(values: list, start: int) -> None:
    array = pa.array(values, STORED).slice(min(start, len(values)))
    found = fitted(array, LATER, pc.cast)
    found.validate(full=True)
    assert found.type == LATER
    assert found.to_pylist() == [later(value) for value in values[min(start, len(values)) :]]


@given(st.lists(VALUE, max_size=8), st.integers(0, 4))
def test_the_same_values_have_other_names(values: list, start: int) -> None:
    names = {"s.a": "list", "s.list": "a", "s.list.element.b": "c", "s.list.element.c": "b", "s.map.value.d": "x"}
    type_ = named_type(STORED, "s", names)
    array = pa.array(values, STORED).slice(min(start, len(values)))
    column = pa.chunked_array([array, array])
    found = relabelled(column, type_)
    found.validate(full=True)
    assert found.type == type_
    assert relabelled(found, STORED).equals(column)
    assert [field.name for field in type_] == ["list", "a", "map"]
    assert [field.name for field in type_.field("a").type.value_type] == ["c", "b"]
    assert type_.field("map").type.item_type.field(0).name == "x"


def test_only_names_and_order_of_fields_count() -> None:
    assert has_other_fields(STORED, LATER)
    assert not has_other_fields(STORED, STORED)
    assert not has_other_fields(pa.int32(), pa.int64())
    assert has_other_fields(pa.map_(pa.string(), pa.struct([("x", pa.int8())])), pa.map_(pa.string(), pa.struct([])))
    wider = pa.struct([("x", pa.int64())])
    assert not has_other_fields(pa.struct([("x", pa.int32())]), wider)
    assert fitted(pa.array([{"x": 1}], pa.struct([("x", pa.int32())])), wider, pc.cast).to_pylist() == [{"x": 1}]


def test_a_field_that_must_not_be_null_is_required() -> None:
    type_ = pa.struct([pa.field("y", pa.int32(), nullable=False)])
    with pytest.raises(pa.ArrowInvalid, match="field 'y' is missing"):
        fitted(pa.array([{"x": 1}]), type_, pc.cast)
    assert fitted(pa.array([None], pa.struct([("x", pa.int32())])), type_, pc.cast).to_pylist() == [None]
