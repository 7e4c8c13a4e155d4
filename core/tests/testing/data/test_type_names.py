"""Types of merge vectors as Arrow types, and defaults of their columns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.schema.defaults import default_of
from hoodoo.testing.data.type_names import arrow_table, arrow_type
from hoodoo.testing.data.value_pools import ALL_TYPES, ORDERING_TYPES, TYPE_GROUPS, ordering_pool, pool


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("long?", pa.int64()),
        ("decimal(12, 3)", pa.decimal128(12, 3)),
        ("array<map<string,int>>", pa.list_(pa.map_(pa.string(), pa.int32()))),
        (
            "struct<a:string?, b:struct<c:decimal(4,1),d:array<int>>>",
            pa.struct(
                [("a", pa.string()), ("b", pa.struct([("c", pa.decimal128(4, 1)), ("d", pa.list_(pa.int32()))]))]
            ),
        ),
        ("any", None),
    ],
)
def test_names_of_types(text: str, type_: pa.DataType | None) -> None:
    assert arrow_type(text) == type_


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="'text' of a column is not one of"):
        arrow_type("array<text>")


def test_rows_of_nested_types() -> None:
    schema = {"m": "map<string,array<bytes>>", "s": "struct<a:map<string,int>>", "x": "any", "y": "any"}
    table = arrow_table([{"m": {"k": ["v"]}, "s": {"a": {"k": 1}}, "x": 1.5}, {}], schema)

    assert table.column_names == ["m", "s", "x"]
    assert table.to_pylist() == [
        {"m": [("k", [b"v"])], "s": {"a": [("k", 1)]}, "x": 1.5},
        {"m": None, "s": None, "x": None},
    ]


def test_a_default_stands_in_the_schema() -> None:
    table = arrow_table([{}], {"city": {"type": "string", "default": "NY"}, "ts": "long"})

    assert default_of(table.schema.field("city")).as_py() == "NY"
    assert default_of(table.schema.field("ts")).as_py() is None


@pytest.mark.parametrize("name", ALL_TYPES)
def test_every_type_has_values_to_try(name: str) -> None:
    type_ = arrow_type(ALL_TYPES[name])
    values = arrow_table([{name: value} for value in pool(type_)], {name: ALL_TYPES[name]})[name]

    assert values.type == type_
    assert values[0].as_py() is None
    assert len({repr(value) for value in values.to_pylist()}) >= 3


def test_every_type_is_in_one_group() -> None:
    assert sorted(name for group in TYPE_GROUPS for name in group) == sorted(ALL_TYPES)


@pytest.mark.parametrize("text", ORDERING_TYPES)
def test_ordering_values_are_not_null_and_the_first_three_differ(text: str) -> None:
    values = ordering_pool(arrow_type(text))

    assert None not in values
    assert len(sorted(set(values[:3]))) == 3
