"""Arrow schemas to Hudi's Avro schemas and back."""

from __future__ import annotations

import json

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoodoo.errors import SchemaError
from hoodoo.schema.avro_encode import from_avro, stored_schema, to_avro
from hoodoo.schema.defaults import default_of, with_default
from hoodoo.schema.meta_columns import META_COLUMNS, with_meta, without_meta

LEAVES = st.one_of(
    st.sampled_from([pa.bool_(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.string(), pa.binary()]),
    st.sampled_from([pa.date32(), pa.timestamp("us", "UTC"), pa.binary(3)]),
    st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: pa.decimal128(p, s))),
)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)


def structs(types):
    field = st.tuples(types, st.booleans())
    return st.dictionaries(NAMES, field, min_size=1, max_size=4).map(
        lambda fields: pa.struct([pa.field(name, type_, nullable) for name, (type_, nullable) in fields.items()])
    )


def containers(types):
    items = st.tuples(types, st.booleans())
    return st.one_of(
        structs(types),
        items.map(lambda item: pa.list_(pa.field("element", item[0], item[1]))),
        items.map(lambda item: pa.map_(pa.string(), pa.field("value", item[0], item[1]))),
    )


SCHEMAS = structs(st.recursive(LEAVES, containers, max_leaves=6)).map(lambda struct: pa.schema(list(struct)))


@given(SCHEMAS, st.booleans())
def test_what_a_table_can_hold_round_trips(schema, null_first):
    assert from_avro(to_avro(schema, "t", null_first=null_first)).equals(schema)


@given(SCHEMAS)
def test_the_result_is_valid_avro(schema):
    fastavro.parse_schema(json.loads(to_avro(schema, "trips")))


@pytest.mark.parametrize(
    ("given_type", "stored"),
    [
        (pa.int8(), pa.int32()),
        (pa.uint16(), pa.int32()),
        (pa.uint32(), pa.int64()),
        (pa.large_string(), pa.string()),
        (pa.string_view(), pa.string()),
        (pa.large_binary(), pa.binary()),
        (pa.dictionary(pa.int8(), pa.string()), pa.string()),
        (pa.timestamp("ms", "Europe/Berlin"), pa.timestamp("us", "UTC")),
        (pa.large_list(pa.int8()), pa.list_(pa.int32())),
        (pa.list_(pa.int8(), 3), pa.list_(pa.int32())),
        (pa.decimal256(20, 2), pa.decimal128(20, 2)),
        (pa.float16(), pa.float32()),
    ],
)
def test_other_types_are_stored_as_their_nearest(given_type, stored):
    assert stored_schema(pa.schema([("c", given_type)])).field("c").type == stored


@pytest.mark.parametrize(
    "type_",
    [
        pa.null(),
        pa.time32("ms"),
        pa.time64("us"),
        pa.duration("us"),
        pa.month_day_nano_interval(),
        pa.timestamp("us"),
        pa.timestamp("ns", "UTC"),
        pa.uint64(),
        pa.date64(),
        pa.decimal256(50, 2),
        pa.decimal128(5, -2),
        pa.map_(pa.int32(), pa.string()),
        pa.dense_union([pa.field("a", pa.int32())]),
    ],
)
def test_types_that_no_table_holds_name_the_column_and_the_way_out(type_):
    nested = pa.schema([("outer", pa.list_(pa.struct([("inner", type_)])))])
    with pytest.raises(SchemaError, match=r"column 'outer\[\]\.inner' has type .*(cast|use) "):
        to_avro(nested, "t")


def test_structs_without_fields_name_the_column_and_the_way_out():
    """Avro has such structs, but Parquet does not: a table with them could not be compacted."""
    nested = pa.schema([("outer", pa.map_(pa.string(), pa.list_(pa.struct([("inner", pa.struct([]))]))))])
    with pytest.raises(SchemaError, match=r"column 'outer\{\}\[\]\.inner' has type struct<>.* drop the column"):
        to_avro(nested, "t")


@pytest.mark.parametrize("name", ["a b", "a.b", "1a", "", "straße", "a-b"])
def test_names_that_avro_does_not_have(name):
    with pytest.raises(SchemaError, match="rename"):
        to_avro(pa.schema([(name, pa.int32())]), "t")
    with pytest.raises(SchemaError, match="twice"):
        to_avro(pa.schema([("a", pa.int32()), ("a", pa.int32())]), "t")


def test_names_and_namespaces_follow_hudi():
    schema = pa.schema(
        [pa.field("d", pa.decimal128(10, 5)), pa.field("s", pa.struct([("x", pa.struct([("y", pa.int32())]))]))]
    )
    record = json.loads(to_avro(schema, "my-table"))
    assert (record["name"], record["namespace"]) == ("my__table_record", "hoodie.my__table")
    fixed = record["fields"][0]["type"][1]
    assert (fixed["name"], fixed["namespace"], fixed["size"]) == ("fixed", "hoodie.my__table.my__table_record.d", 5)
    inner = record["fields"][1]["type"][1]["fields"][0]["type"][1]
    assert (inner["name"], inner["namespace"]) == ("x", "hoodie.my__table.my__table_record.s")


def test_required_columns_have_no_union():
    record = json.loads(to_avro(pa.schema([pa.field("id", pa.int64(), nullable=False)]), "t"))
    assert record["fields"] == [{"name": "id", "type": "long"}]


def test_schemas_of_other_writers():
    document = {
        "type": "record",
        "name": "r",
        "namespace": "n",
        "fields": [
            {"name": "millis", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
            {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
            {"name": "kind", "type": {"type": "enum", "name": "kinds", "symbols": ["A"]}},
            {"name": "again", "type": ["kinds", "null"]},
            {"name": "uuid", "type": {"type": "string", "logicalType": "uuid"}},
            {"name": "raw", "type": {"type": "fixed", "name": "four", "size": 4}},
            {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
            {"name": "wrapped", "type": {"type": {"type": "int", "logicalType": "date"}}},
        ],
    }
    assert from_avro(json.dumps(document)).equals(
        pa.schema(
            [
                pa.field("millis", pa.timestamp("us", "UTC")),
                pa.field("local", pa.timestamp("us"), nullable=False),
                pa.field("kind", pa.string(), nullable=False),
                pa.field("again", pa.string()),
                pa.field("uuid", pa.string(), nullable=False),
                pa.field("raw", pa.binary(4), nullable=False),
                pa.field("amount", pa.decimal128(9, 2), nullable=False),
                pa.field("wrapped", pa.date32(), nullable=False),
            ]
        )
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '"string"',
        '{"type":"record","name":"r","fields":[{"name":"a","type":["int","string"]}]}',
        '{"type":"record","name":"r","fields":[{"name":"a","type":"r"}]}',
        '{"type":"record","name":"r","fields":[{"name":"a","type":"what"}]}',
        '{"type":"record","name":"r","fields":[{"name":"a"}]}',
        '{"type":"record","name":"r","fields":[3]}',
        '{"type":"record","name":"r","fields":[{"name":"a","type":{"type":"fixed","name":"f","size":0}}]}',
        '{"type":"record","name":"r","fields":[{"name":"a","type":{"type":"bytes","logicalType":"decimal"}}]}',
        '{"type":"record","name":"r","fields":[{"name":"a","type":'
        + '{"type":"array","items":' * 900
        + '"int"'
        + "}" * 902
        + "]}",
    ],
)
def test_broken_schemas_are_refused(text):
    with pytest.raises(SchemaError, match="Avro schema"):
        from_avro(text)


def test_meta_columns_come_first_and_go_again():
    schema = pa.schema([pa.field("a", pa.int32(), nullable=False)])
    full = with_meta(schema)
    assert full.names == [*META_COLUMNS, "a"]
    assert with_meta(full).equals(full)
    assert without_meta(full).equals(schema)


@pytest.mark.parametrize("null_first", [True, False])
def test_defaults_stay_with_their_columns(null_first):
    inner = pa.struct([with_default(pa.field("count", pa.int32()), 7), pa.field("name", pa.string())])
    schema = pa.schema(
        [
            with_default(pa.field("city", pa.string()), "NY"),
            with_default(pa.field("flag", pa.bool_(), nullable=False), False),
            with_default(pa.field("at", pa.timestamp("ms", tz="UTC")), 1000),
            with_default(pa.field("tags", pa.list_(pa.string())), []),
            pa.field("inner", inner),
            pa.field("plain", pa.string()),
        ]
    )
    read = from_avro(to_avro(schema, "t", null_first=null_first))

    assert [default_of(field).as_py() for field in read] == [default_of(field).as_py() for field in schema]
    assert default_of(read.field("inner").type.field("count")).as_py() == 7
    assert [field.nullable for field in read] == [field.nullable for field in schema]


def test_a_default_that_is_no_json_names_the_column():
    with pytest.raises(SchemaError, match="column 'city' is not JSON"):
        to_avro(pa.schema([pa.field("city", pa.string(), metadata={"default": "NY"})]), "t")
