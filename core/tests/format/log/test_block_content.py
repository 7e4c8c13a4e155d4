"""Avro data blocks: both ways of decoding against rows that fastavro encoded one at a time."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from decimal import Context, Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoodoo.errors import SchemaError, UnsupportedTable
from hoodoo.format.avro.flat_records import decode_flat
from hoodoo.format.avro.nested_records import decode_nested
from hoodoo.format.avro.record_batches import read_records
from hoodoo.format.log import block_columns, decode_data, read_blocks
from hoodoo.format.log.block_schema import block_schema
from hoodoo.format.log.block_writer import avro_data_block
from hoodoo.schema.avro_encode import from_avro, to_avro

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
DECIMALS = st.sampled_from([(1, 0), (9, 2), (18, 18), (19, 3), (30, 15), (38, 0), (38, 37)])


def decimal_values(digits):
    precision, scale = digits
    limit = 10**precision - 1
    context = Context(prec=60)
    return st.integers(-limit, limit).map(lambda unscaled: Decimal(unscaled).scaleb(-scale, context))


# Arrow type and values; dates and timestamps as the integers that both libraries take, so that any of them can be had
FLAT = st.one_of(
    st.sampled_from(
        [
            (pa.bool_(), st.booleans()),
            (pa.int32(), INT32),
            (pa.int64(), INT64),
            (pa.float32(), st.floats(width=32, allow_nan=False)),
            (pa.float64(), st.floats(allow_nan=False)),
            (pa.string(), TEXT),
            (pa.binary(), st.binary(max_size=20)),
            (pa.binary(3), st.binary(min_size=3, max_size=3)),
            (pa.date32(), INT32),
            (pa.timestamp("us", "UTC"), INT64),
        ]
    ),
    DECIMALS.map(lambda digits: (pa.decimal128(*digits), decimal_values(digits))),
)


def nullable(values, is_nullable):
    return st.none() | values if is_nullable else values


def structs(types):
    return st.lists(st.tuples(types, st.booleans()), min_size=1, max_size=3).map(
        lambda fields: (
            pa.struct([pa.field(f"f{i}", type_, null) for i, ((type_, _), null) in enumerate(fields)]),
            st.fixed_dictionaries({f"f{i}": nullable(v, null) for i, ((_, v), null) in enumerate(fields)}),
        )
    )


def containers(types):
    items = st.tuples(types, st.booleans())
    return st.one_of(
        structs(types),
        items.map(
            lambda item: (
                pa.list_(pa.field("element", item[0][0], item[1])),
                st.lists(nullable(item[0][1], item[1]), max_size=3),
            )
        ),
        items.map(
            lambda item: (
                pa.map_(pa.string(), pa.field("value", item[0][0], item[1])),
                st.dictionaries(TEXT, nullable(item[0][1], item[1]), max_size=3),
            )
        ),
    )


NESTED = st.recursive(FLAT, containers, max_leaves=5)


@st.composite
def tables(draw, types):
    """Draw the text of an Avro schema, and rows of this schema."""
    fields = draw(st.lists(st.tuples(types, st.booleans()), min_size=1, max_size=6))
    schema = pa.schema([pa.field(f"c{i}", type_, null) for i, ((type_, _), null) in enumerate(fields)])
    row = st.fixed_dictionaries({f"c{i}": nullable(values, null) for i, ((_, values), null) in enumerate(fields)})
    rows = draw(st.lists(row, min_size=1, max_size=30))
    return to_avro(schema, "t", null_first=draw(st.booleans())), rows


def arrow(schema, rows):
    def value(type_, item):
        if item is None:
            return None
        if pa.types.is_map(type_):
            return [(key, value(type_.item_type, found)) for key, found in item.items()]
        if pa.types.is_list(type_):
            return [value(type_.value_type, found) for found in item]
        if pa.types.is_struct(type_):
            return {field.name: value(field.type, item[field.name]) for field in type_}
        return item

    arrays = [pa.array([value(field.type, row[field.name]) for row in rows], field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def decoded(made, body, decode, batch_rows=1000):
    """Return all columns, decoded in one of the two ways."""
    (block,) = read_blocks(made.storage(body), made.path)
    schema = block_schema(block)

    def read(offset, length):
        return body[block.content_offset + offset :][:length]

    parts = [
        decode(part, schema, list(schema.fields))
        for part in read_records(read, block.content_length, batch_rows, str(block))
    ]
    types = from_avro(block.schema_text)
    return pa.concat_tables([pa.Table.from_arrays(arrays, schema=types) for arrays in parts])


def read(made, body, schema, **options):
    (block,) = read_blocks(made.storage(body), made.path)
    return pa.concat_tables([schema.empty_table(), *decode_data(made.storage(body), block, schema, **options)])


@given(table=tables(FLAT), batch_rows=st.integers(1, 40))
@settings(deadline=None)
def test_flat_rows_come_out_the_same_both_ways(made, table, batch_rows):
    text, rows = table
    body = made.data(text, rows)
    expected = arrow(from_avro(text), rows)
    assert decoded(made, body, decode_flat, batch_rows).equals(expected)
    assert decoded(made, body, decode_nested, batch_rows).equals(expected)
    assert read(made, body, expected.schema).equals(expected)


@given(table=tables(NESTED))
@settings(deadline=None)
def test_nested_rows_come_out_as_they_went_in(made, table):
    text, rows = table
    expected = arrow(from_avro(text), rows)
    assert read(made, made.data(text, rows), expected.schema).equals(expected)


@given(table=tables(NESTED))
@settings(deadline=None, max_examples=50)
def test_what_is_written_is_what_fastavro_writes(made, table):
    text, rows = table
    expected = made.sealed(3, {0: made.instant, 2: text}, made.records(text, rows))
    assert avro_data_block(made.instant, arrow(from_avro(text), rows), text) == expected


def both(made, document, rows):
    """Return the decoded rows of a schema that `to_avro` never writes; if it is flat, both decoders must agree."""
    text = json.dumps({"type": "record", "name": "r", "namespace": "n", "fields": document})
    body = made.data(text, rows)
    found = decoded(made, body, decode_nested)
    (block,) = read_blocks(made.storage(body), made.path)
    if block_schema(block).is_flat:
        assert decoded(made, body, decode_flat).equals(found)
    return found


WIDE = {"type": "fixed", "name": "w", "size": 20, "logicalType": "decimal", "precision": 38}


def test_types_of_other_writers(made):
    found = both(
        made,
        [
            {"name": "millis", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}], "default": None},
            {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
            {"name": "clock", "type": {"type": "int", "logicalType": "time-millis"}},
            {"name": "kind", "type": {"type": "enum", "name": "kinds", "symbols": ["A", "B"], "default": "A"}},
            {"name": "again", "type": ["kinds", "null"]},
            {"name": "uuid", "type": {"type": "string", "logicalType": "uuid", "avro.java.string": "String"}},
            {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
            {"name": "day", "type": {"type": "int", "logicalType": "date"}},
            {"name": "odd-name.é", "type": ["null", {"type": "fixed", "name": "m.four", "size": 4}]},
            {"name": "four", "type": "m.four"},
            {"name": "wide", "type": WIDE},
        ],
        [
            {
                "millis": -1,
                "local": 5,
                "clock": 7,
                "kind": "B",
                "again": "A",
                "uuid": "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
                "price": Decimal("-1.28"),
                "day": -3,
                "odd-name.é": b"abcd",
                "four": b"efgh",
                "wide": Decimal(-(10**38) + 1),
            },
            {
                "millis": None,
                "local": 0,
                "clock": 0,
                "kind": "A",
                "again": None,
                "uuid": "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
                "price": Decimal("0.00"),
                "day": 0,
                "odd-name.é": None,
                "four": b"efgh",
                "wide": Decimal(0),
            },
        ],
    )  # fmt: skip
    assert found.column("millis").cast(pa.int64()).to_pylist() == [-1000, None]
    assert found.column("local").cast(pa.int64()).to_pylist() == [5, 0]
    assert found.column("clock").cast(pa.int32()).to_pylist() == [7, 0]
    assert found.column("kind").to_pylist() == ["B", "A"]
    assert found.column("again").to_pylist() == ["A", None]
    assert found.column("price").to_pylist() == [Decimal("-1.28"), Decimal("0.00")]
    assert found.column("day").cast(pa.int32()).to_pylist() == [-3, 0]
    assert found.column("odd-name.é").to_pylist() == [b"abcd", None]
    assert found.column("wide").to_pylist() == [Decimal(-(10**38) + 1), Decimal(0)]


def test_unions_that_are_not_a_value_or_null(made):
    found = both(
        made, [{"name": "only", "type": ["int"]}, {"name": "tail", "type": "string"}], [{"only": 5, "tail": "x"}]
    )
    assert found.to_pylist() == [{"only": 5, "tail": "x"}]
    text = json.dumps({"type": "record", "name": "r", "fields": [{"name": "c", "type": ["null", "int", "string"]}]})
    with pytest.raises(UnsupportedTable, match=r"block at byte 0 of log file .* union of 2 types"):
        read(made, made.data(text, [{"c": 1}]), pa.schema([("c", pa.int64())]))


def test_not_a_number_and_negative_zero_stay(made):
    schema = pa.schema([("d", pa.float64()), ("f", pa.float32())])
    rows = [{"d": math.nan, "f": math.nan}, {"d": -0.0, "f": math.inf}]
    found = read(made, made.data(to_avro(schema, "t"), rows), schema).to_pylist()
    assert math.isnan(found[0]["d"])
    assert math.isnan(found[0]["f"])
    assert math.copysign(1, found[1]["d"]) == -1
    assert found[1]["f"] == math.inf


def test_columns_by_name_in_any_order_and_missing_ones_null(made):
    stored = pa.schema([pa.field("a", pa.int32(), nullable=False), ("b", pa.string()), ("c", pa.float32())])
    body = made.data(to_avro(stored, "t"), [{"a": i, "b": f"b{i}", "c": i / 2} for i in range(5)])
    wanted = pa.schema([("c", pa.float64()), pa.field("new", pa.int32(), nullable=False), ("a", pa.int64())])
    found = read(made, body, wanted, batch_rows=2)
    assert found.schema.equals(wanted)
    assert found.to_pydict() == {"c": [0, 0.5, 1, 1.5, 2], "new": [None] * 5, "a": [0, 1, 2, 3, 4]}
    assert read(made, body, pa.schema([("new", pa.int32())]), batch_rows=2).num_rows == 5
    (block,) = read_blocks(made.storage(body), made.path)
    assert block_columns(made.storage(body), block) == ["a", "b", "c"]
    with pytest.raises(SchemaError, match=r"column 'b' of the block at byte 0 of log file"):
        read(made, body, pa.schema([("b", pa.int32())]))


def test_a_dictionary_type_comes_as_a_dictionary(made):
    schema = pa.schema([("c", pa.string())])
    type_ = pa.dictionary(pa.int32(), pa.string())
    found = read(made, made.data(to_avro(schema, "t"), [{"c": "x"}, {"c": None}]), pa.schema([("c", type_)]))
    assert found.column("c").type == type_
    assert found.column("c").to_pylist() == ["x", None]


def test_records_longer_than_what_is_read_at_once(made):
    schema = pa.schema([("n", pa.int32()), ("c", pa.string())])
    rows = [{"n": i, "c": str(i) * size} for i, size in enumerate([1, 3_000_000, 5_000_000, 2, 4_194_300, 3])]
    body = made.data(to_avro(schema, "t"), rows)
    assert read(made, body, schema).equals(arrow(schema, rows))


def test_a_block_without_records_is_fine(made):
    schema = pa.schema([("c", pa.string())])
    assert read(made, made.data(to_avro(schema, "t"), []), schema).num_rows == 0


@pytest.mark.parametrize("version", [1, 2])
def test_earlier_versions_have_the_same_layout(made, version):
    schema = pa.schema([("c", pa.string())])
    assert read(made, made.data(to_avro(schema, "t"), [{"c": "x"}], version), schema).to_pylist() == [{"c": "x"}]


def test_another_version_is_refused(made):
    schema = pa.schema([("c", pa.string())])
    with pytest.raises(UnsupportedTable, match="Avro data of unknown version 4"):
        read(made, made.data(to_avro(schema, "t"), [{"c": "x"}], 4), schema)


@pytest.mark.parametrize("type_", [0, 1, 4, 6])
def test_blocks_without_rows_are_refused(made, type_):
    body = made.frame(type_, {0: "1", 1: "0", 3: "0"})
    with pytest.raises(UnsupportedTable, match="block at byte 0"):
        read(made, body, pa.schema([("c", pa.string())]))


def test_an_integer_too_long_for_its_type_is_damage(made):
    long = {"type": "record", "name": "r", "fields": [{"name": "c", "type": "long"}]}
    short = {"type": "record", "name": "r", "fields": [{"name": "c", "type": "int"}]}
    body = made.frame(3, {0: "1", 2: json.dumps(short)}, made.records(json.dumps(long), [{"c": 2**40}]))
    for decode in (decode_flat, decode_nested):
        with pytest.raises(ValueError, match=r"(?i)integer value|bounds|range|too large"):
            decoded(made, body, decode)


PROGRAM = """
import sys
from hoodoo.format.log import decode_data, read_blocks
from hoodoo.schema.avro_encode import from_avro
from hoodoo.storage import LocalStorage
assert "polars" not in sys.modules
(block,) = read_blocks(LocalStorage(sys.argv[1]), "log")
rows = [part.num_rows for part in decode_data(LocalStorage(sys.argv[1]), block, from_avro(block.schema_text))]
assert rows == [1]
assert "pandas" not in sys.modules
"""


def test_slow_imports_happen_when_needed(tmp_path, made):
    schema = pa.schema([("d", pa.decimal128(5, 2)), ("c", pa.string())])
    body = made.data(to_avro(schema, "t"), [{"d": None, "c": "x"}])
    (tmp_path / "log").write_bytes(body)
    subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], check=True)
