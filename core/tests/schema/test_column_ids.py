"""Ids of columns: the documents are those that Hudi writes, and ids survive every change."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from hoodoo.errors import SchemaError
from hoodoo.schema.avro_encode import to_avro
from hoodoo.schema.column_ids import ColumnIds, ColumnsChange, decoded_history, encoded_history
from hoodoo.schema.evolution import changed_columns

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int32(), nullable=False),
        ("s", pa.struct([("a", pa.int32()), ("l", pa.list_(pa.struct([("p", pa.string())])))])),
        ("m", pa.map_(pa.string(), pa.int64())),
        ("day", pa.date32()),
    ]
)


def ids(schema: pa.Schema) -> ColumnIds:
    return ColumnIds.of_avro(to_avro(schema, "t"))


def test_all_fields_of_a_record_have_lower_ids_than_those_in_them() -> None:
    first = ids(SCHEMA)
    assert dict(first.columns.paths()) | {} == {
        **{name: number for number, name in enumerate(list(first.by_name)[:5])},
        "id": 5,
        "s": 6,
        "m": 7,
        "day": 8,
        "s.a": 9,
        "s.l": 10,
        "s.l.element": 11,
        "s.l.element.p": 12,
        "m.key": 13,
        "m.value": 14,
    }
    assert first.document["max_column_id"] == 14
    assert first.version == 0
    assert first.document["fields"][5] == {"id": 5, "name": "id", "optional": False, "type": "int"}


def test_a_column_keeps_its_id_under_another_name_and_type() -> None:
    later = pa.schema([pa.field("key", pa.int64(), nullable=False), *list(SCHEMA)[1:]])
    changed = ids(SCHEMA).evolved(to_avro(later, "t"), 7, ColumnsChange({"id": "key"}))
    assert (changed.version, changed.by_name["key"]) == (7, 5)
    assert changed.document["fields"][5]["type"] == "long"
    assert changed.by_name["s"] == 6
    assert "id" not in changed.by_name


def test_a_dropped_column_never_gets_its_id_back() -> None:
    fewer = pa.schema([field for field in SCHEMA if field.name != "day"])
    dropped = ids(SCHEMA).evolved(to_avro(fewer, "t"), 7, ColumnsChange({}, ("day",)))
    again = dropped.evolved(to_avro(SCHEMA, "t"), 8)
    assert again.by_name["day"] == 15
    # also if it is added in the same step
    assert ids(SCHEMA).evolved(to_avro(SCHEMA, "t"), 7, ColumnsChange({}, ("day",))).by_name["day"] == 15


def test_two_columns_exchange_their_names() -> None:
    schema = pa.schema([("a", pa.int32()), ("b", pa.int32())])
    first = ids(schema)
    changed = first.evolved(to_avro(schema, "t"), 1, ColumnsChange({"a": "b", "b": "a"}))
    assert (changed.by_name["a"], changed.by_name["b"]) == (first.by_name["b"], first.by_name["a"])


def test_a_schema_without_a_change_is_the_same_version() -> None:
    first = ids(SCHEMA)
    assert first.evolved(to_avro(SCHEMA, "t"), 7) is first


def test_a_history_is_read_as_it_was_written() -> None:
    first = ids(SCHEMA)
    later = first.evolved(to_avro(pa.schema([*SCHEMA, ("x", pa.string())]), "t"), 9)
    body = encoded_history([later, first])
    assert body.startswith(b'{"schemas":[')
    assert [each.version for each in decoded_history(body)] == [9, 0]
    assert decoded_history(body)[0].text == later.text == json.dumps(later.document, separators=(",", ":"))


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"schemas": [{"fields": 1}]}', b'{"schemas": [1]}', b"{"])
def test_another_document_is_an_error(body: bytes) -> None:
    with pytest.raises(ValueError):
        decoded_history(body)


def test_types_have_the_names_that_all_releases_of_hudi_read() -> None:
    types = [pa.decimal128(8, 2), pa.timestamp("us", "UTC"), pa.binary(), pa.bool_(), pa.float32(), pa.binary(4)]
    found = ids(pa.schema([(f"c{number}", type_) for number, type_ in enumerate(types)])).document["fields"][5:]
    assert [field["type"] for field in found] == [
        "decimal(8, 2)",
        "timestamp",
        "binary",
        "boolean",
        "float",
        "fixed[4]",
    ]


def test_a_type_without_a_form_is_named() -> None:
    text = json.dumps({"type": "record", "name": "t", "fields": [{"name": "x", "type": {"type": "enum"}}]})
    with pytest.raises(SchemaError, match="column 'x' has the Avro type 'enum'"):
        ColumnIds.of_avro(text)


def by_path(ids: ColumnIds) -> dict[str, int]:
    """Return the ids of column `s` and of all fields below it, by path."""
    return {path: id_ for path, id_ in ids.columns.paths() if path.startswith("s")}


def test_fields_keep_their_ids_and_new_ones_get_others() -> None:
    inner = pa.struct([("x", pa.int32()), ("y", pa.string())])
    schema = pa.schema(
        [("s", pa.struct([("f", pa.int32()), ("list", pa.list_(inner)), ("m", pa.map_(pa.string(), inner))]))]
    )
    first = ids(schema)
    before = by_path(first)
    change = ColumnsChange(
        {"s.f": "g", "s.list": "items", "s.list.element.x": "z"},
        ["s.m.value.y"],
        {"s.m.value.new": pa.field("new", pa.int64())},
        {"s.list": "", "s.m.value.new": ""},
    )
    later = changed_columns(schema, change)
    s = later.field("s").type
    assert [field.name for field in s] == ["items", "g", "m"]
    assert [field.name for field in s.field("items").type.value_type] == ["z", "y"]
    assert [field.name for field in s.field("m").type.item_type] == ["new", "x"]
    second = first.evolved(to_avro(later, "t"), 7, change)
    same = {
        "s.g": "s.f",
        "s.items": "s.list",
        "s.items.element": "s.list.element",
        "s.items.element.z": "s.list.element.x",
        "s.items.element.y": "s.list.element.y",
        **{path: path for path in ("s", "s.m", "s.m.key", "s.m.value", "s.m.value.x")},
    }
    new = max(before.values()) + 1
    assert by_path(second) == {path: before[old] for path, old in same.items()} | {"s.m.value.new": new}
    assert second.document["max_column_id"] == new
    # a field of a dropped name is another one
    again = ColumnsChange(added={"s.m.value.y": pa.field("y", pa.string())})
    assert by_path(second.evolved(to_avro(changed_columns(later, again), "t"), 8, again))["s.m.value.y"] == new + 1
    assert second.evolved(to_avro(later, "t"), 9) is second


def test_the_order_of_columns_is_that_of_the_schema() -> None:
    schema = pa.schema([("a", pa.int32()), pa.field("b", pa.int32(), nullable=False), ("c", pa.int32())])
    change = ColumnsChange(placed={"c": "a", "b": ""}, nullable=["b"])
    moved = changed_columns(schema, change)
    assert moved == pa.schema([("b", pa.int32()), ("a", pa.int32()), ("c", pa.int32())])
    second = ids(schema).evolved(to_avro(moved, "t"), 7, change)
    assert list(second.by_name)[5:] == ["b", "a", "c"]
    assert second.by_name == ids(schema).by_name
    assert [field["optional"] for field in second.document["fields"][5:]] == [True, True, True]
    with pytest.raises(SchemaError, match="'c' cannot be placed after 'x'"):
        changed_columns(schema, ColumnsChange(placed={"c": "x"}))
