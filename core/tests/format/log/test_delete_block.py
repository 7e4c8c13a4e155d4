"""Delete blocks: keys and ordering values against what fastavro encoded by Hudi's schema, written out here in full."""

from __future__ import annotations

import datetime
import io
import struct
from decimal import Decimal

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoodoo.errors import CorruptTableError, DataError, UnsupportedTable
from hoodoo.format.log import decode_deletes, read_blocks
from hoodoo.format.log.block_writer import delete_block


def wrapper(name, avro):
    return {"type": "record", "name": f"org.apache.hudi.avro.model.{name}", "fields": [{"name": "value", "type": avro}]}


NAMES = [
    "Boolean", "Int", "Long", "Float", "Double", "Bytes", "String", "Date", "Decimal", "TimeMicros", "TimestampMicros",
]  # fmt: skip
TYPES = ["boolean", "int", "long", "float", "double", "bytes", "string", "int"]
TYPES += [{"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 15}, "long", "long"]
IN_ARRAYS = ["null", *(f"org.apache.hudi.avro.model.{name}Wrapper" for name in NAMES)]
IN_ARRAYS += [wrapper("LocalDateWrapper", "int")]
ARRAY = wrapper("ArrayWrapper", "int") | {
    "fields": [{"name": "wrappedValues", "type": ["null", {"type": "array", "items": IN_ARRAYS}]}]
}
ENTRY = {
    "type": "record",
    "name": "HoodieDeleteRecord",
    "fields": [
        {"name": "recordKey", "type": ["null", "string"]},
        {"name": "partitionPath", "type": ["null", "string"]},
        {
            "name": "orderingVal",
            "type": [
                "null",
                *(wrapper(f"{name}Wrapper", avro) for name, avro in zip(NAMES, TYPES, strict=True)),
                ARRAY,
            ],
        },
    ],
}
SCHEMA = fastavro.parse_schema(
    {
        "type": "record",
        "name": "org.apache.hudi.avro.model.HoodieDeleteRecordList",
        "fields": [{"name": "deleteRecordList", "type": {"type": "array", "items": ENTRY}}],
    }
)


def wrapped(name, value):
    return f"org.apache.hudi.avro.model.{name}Wrapper", {"value": value}


def array(*values):
    return "org.apache.hudi.avro.model.ArrayWrapper", {"wrappedValues": list(values)}


def encoded(orderings, keys=None):
    keys = keys or [(f"k{i}", "p=é" if i % 2 else "") for i in range(len(orderings))]
    rows = [
        {"recordKey": key, "partitionPath": partition, "orderingVal": ordering}
        for (key, partition), ordering in zip(keys, orderings, strict=True)
    ]
    body = io.BytesIO()
    fastavro.schemaless_writer(body, SCHEMA, {"deleteRecordList": rows})
    return body.getvalue()


def content(data, version=3):
    return struct.pack(">II", version, len(data)) + data


def read(made, body, types):
    (block,) = read_blocks(made.storage(body), made.path)
    return decode_deletes(made.storage(body), block, types)


def deletes(made, orderings, *types):
    return read(made, made.frame(1, {0: made.instant}, content(encoded(orderings))), types)


LONG = pa.int64()
DAY = datetime.date(2024, 1, 2)
AT = datetime.datetime(2024, 1, 2, 3, 4, 5, 6, datetime.UTC)


@pytest.mark.parametrize(
    ("name", "stored", "type_", "expected"),
    [
        ("Boolean", True, pa.bool_(), True),
        ("Int", 5, pa.int32(), 5),
        ("Int", -5, LONG, -5),
        ("Long", 2**62, LONG, 2**62),
        ("Long", 7, pa.int32(), 7),
        ("Long", 0, LONG, 0),
        ("Long", 3, pa.float64(), 3.0),
        ("Float", 1.5, pa.float32(), 1.5),
        ("Float", 1.5, pa.float64(), 1.5),
        ("Double", 0.1, pa.float64(), 0.1),
        ("Double", 0.5, pa.float32(), 0.5),
        ("Bytes", b"\0\xff", pa.binary(), b"\0\xff"),
        ("String", "é", pa.string(), "é"),
        ("String", "", pa.string(), ""),
        ("Date", 19724, pa.date32(), DAY),
        ("Int", 19724, pa.date32(), DAY),
        ("Decimal", Decimal("-1.25"), pa.decimal128(10, 2), Decimal("-1.25")),
        ("TimeMicros", 61_000_000, pa.time64("us"), datetime.time(0, 1, 1)),
        ("TimestampMicros", 1704164645000006, pa.timestamp("us", "UTC"), AT),
        ("Long", 1704164645000006, pa.timestamp("us", "UTC"), AT),
        # what the column cannot hold cannot be compared with it
        ("Long", 2**40, pa.int32(), None),
        ("Double", 0.1, pa.float32(), None),
        ("Decimal", Decimal("0.001"), pa.decimal128(10, 2), None),
        ("Decimal", Decimal(10**12), pa.decimal128(10, 2), None),
        ("String", "5", LONG, None),
        ("Int", 5, pa.string(), None),
        ("Long", 5, pa.decimal128(10, 2), None),
        ("TimestampMicros", 5, LONG, None),
        ("Boolean", True, LONG, None),
        # Hudi's "no value", whatever the column
        ("Int", 0, LONG, None),
        ("Int", 0, pa.int32(), None),
        ("Int", 0, pa.string(), None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("other", [[], [None]], ids=["alike", "mixed"])
def test_ordering_values_in_the_type_of_their_column(made, name, stored, type_, expected, other):
    found = deletes(made, [wrapped(name, stored), wrapped(name, stored), *other], type_)
    assert found.schema.names == ["record_key", "partition_path", "ordering_0", "unordered"]
    assert found.schema.field("ordering_0").type == type_
    assert found.slice(0, 2).to_pylist() == [
        {"record_key": "k0", "partition_path": "", "ordering_0": expected, "unordered": expected is None},
        {"record_key": "k1", "partition_path": "p=é", "ordering_0": expected, "unordered": expected is None},
    ]
    assert found.column("unordered").to_pylist()[2:] == [True] * len(other)


@pytest.mark.parametrize("name", ["Float", "Double"])
@pytest.mark.parametrize("type_", [pa.float32(), pa.float64()])
@pytest.mark.parametrize("other", [[], [None]], ids=["alike", "mixed"])
def test_nan_and_zeros_are_ordering_values(made, name, type_, other):
    """NaN, infinity and signed zeros keep their values in the column's type, although NaN is not equal to itself."""
    values = [float("nan"), -0.0, 0.0, float("inf"), -1.5]
    found = deletes(made, [*(wrapped(name, value) for value in values), *other], type_)
    assert list(map(repr, found.column("ordering_0").to_pylist()[:5])) == list(map(repr, values))
    assert found.column("unordered").to_pylist() == [False] * 5 + [True] * len(other)


def test_types_may_differ_from_entry_to_entry(made):
    orderings = [wrapped("Long", 5), None, wrapped("Int", 0), wrapped("Int", 7), wrapped("String", "x"), array()]
    found = deletes(made, orderings, LONG)
    assert found.column("ordering_0").to_pylist() == [5, None, None, 7, None, None]
    assert found.column("unordered").to_pylist() == [False, True, True, False, True, True]


def test_several_ordering_fields(made):
    pair = array(wrapped("Long", 5), wrapped("String", "x"))
    orderings = [
        pair,
        array(wrapped("Int", 0), wrapped("String", "")),
        array(wrapped("Long", 5)),
        array(wrapped("Long", 5), None),
        array(wrapped("Long", 5), wrapped("LocalDate", 1)),
        wrapped("Long", 5),
        wrapped("Int", 0),
        None,
    ]
    found = deletes(made, orderings, LONG, pa.string())
    assert found.column("ordering_0").to_pylist() == [5, 0, None, None, None, None, None, None]
    assert found.column("ordering_1").to_pylist() == ["x", "", None, None, None, None, None, None]
    assert found.column("unordered").to_pylist() == [False, False] + [True] * 6
    assert deletes(made, [array(wrapped("LocalDate", 19724))], pa.date32()).column("ordering_0").to_pylist() == [DAY]


@pytest.mark.parametrize("ordering", [None, wrapped("Int", 0), wrapped("Long", 5), array(wrapped("Long", 5))])
def test_without_ordering_fields_every_entry_is_unordered(made, ordering):
    found = deletes(made, [ordering] * 3)
    assert found.schema.names == ["record_key", "partition_path", "unordered"]
    assert found.column("unordered").to_pylist() == [True] * 3
    assert found.column("record_key").to_pylist() == ["k0", "k1", "k2"]


def test_no_entries(made):
    found = deletes(made, [], LONG)
    assert (found.num_rows, found.schema.field("ordering_0").type) == (0, LONG)


def test_entries_in_more_than_one_avro_block(made):
    one = encoded([wrapped("Long", 5)])
    data = one[:-1] + one
    found = read(made, made.frame(1, {0: "1"}, content(data)), [LONG])
    assert found.column("ordering_0").to_pylist() == [5, 5]


KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
ORDERINGS = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1).map(lambda value: wrapped("Long", value)),
    st.integers(-(2**31), 2**31 - 1).map(lambda value: wrapped("Int", value)),
)


@given(
    keys=st.lists(st.tuples(KEYS, st.none() | KEYS), min_size=1, max_size=20, unique=True),
    data=st.data(),
    mixed=st.booleans(),
)
@settings(deadline=None)
def test_any_keys_and_values(made, keys, data, mixed):
    one = data.draw(ORDERINGS)
    orderings = [data.draw(ORDERINGS) if mixed else one for _ in keys]
    found = read(made, made.frame(1, {0: "1"}, content(encoded(orderings, keys))), [LONG])
    values = [None if o in (None, wrapped("Int", 0)) else o[1]["value"] for o in orderings]
    assert list(zip(found["record_key"].to_pylist(), found["partition_path"].to_pylist(), strict=True)) == keys
    assert found.column("ordering_0").to_pylist() == values
    assert found.column("unordered").to_pylist() == [value is None for value in values]


@pytest.mark.parametrize("version", [1, 2])
def test_deletes_in_kryo_are_refused(made, version):
    body = made.frame(3, {0: "1"}) + made.frame(1, {0: "1"}, content(b"\1\2\3", version))
    _, block = read_blocks(made.storage(body), made.path)
    with pytest.raises(UnsupportedTable, match=rf"block at byte {block.offset} .* version {version}, .*Kryo"):
        decode_deletes(made.storage(body), block, [LONG])


def test_another_version_or_type_is_refused(made):
    with pytest.raises(UnsupportedTable, match="version 4"):
        read(made, made.frame(1, {0: "1"}, content(encoded([None]), 4)), [LONG])
    with pytest.raises(UnsupportedTable, match="AVRO_DATA"):
        read(made, made.frame(3, {0: "1"}, content(encoded([None]))), [LONG])


GOOD = encoded([wrapped("Long", 5), wrapped("Long", 6)])


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"\0\0\0\3",
        content(b""),
        content(GOOD)[:-1],
        content(GOOD) + b"\0",
        content(GOOD[:-1]),
        content(GOOD + b"\0"),
        content(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\1" + GOOD[1:]),
        content(b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1" + GOOD[1:]),
        # a key of 2**60 bytes; one of negative length; one that is not a text; an entry without a key; an unknown type
        content(GOOD.replace(b"\2\4k0", b"\2\xfe\xff\xff\xff\xff\xff\xff\xff\x1fk0")),
        content(GOOD.replace(b"\2\4k0", b"\2\3k0")),
        content(GOOD.replace(b"\4k0", b"\4\xff\xff")),
        content(encoded([None], [(None, "p")])),
        content(encoded([wrapped("Int", 5)]).replace(b"\4\x0a", b"\x1a\x0a")),
        content(encoded([wrapped("Date", 5)]).replace(b"\x10\x0a", b"\x10\xfe\xff\xff\xff\xff\xff\x0f")),
    ],
)  # fmt: skip
def test_damage_names_the_block(made, damaged):
    with pytest.raises(CorruptTableError, match=f"block at byte 0 of log file '{made.path}'") as caught:
        read(made, made.frame(1, {0: "1"}, damaged), [LONG])
    assert (caught.value.file, caught.value.offset) == (made.path, 0)


@pytest.mark.parametrize(
    ("column", "ordering"),
    [
        (pa.array([5, None], LONG), wrapped("Long", 5)),
        (pa.array([5, None], pa.int8()), wrapped("Int", 5)),
        (pa.array([0.5, None], pa.float32()), wrapped("Float", 0.5)),
        (pa.array(["x", None], pa.large_string()), wrapped("String", "x")),
        (pa.array([DAY, None], pa.date32()), wrapped("Date", 19724)),
        (pa.array([AT, None], pa.timestamp("us", "UTC")), wrapped("TimestampMicros", 1704164645000006)),
        (pa.array([Decimal("-1.25"), None], pa.decimal128(10, 2)), wrapped("Decimal", Decimal("-1.25"))),
    ],
)
def test_what_is_written_is_what_fastavro_writes(made, column, ordering):
    keys, partitions = pa.array(["k0", "k1"]), pa.array(["", "p=é"])

    def block(*entries):
        orderings = [ordering for _, ordering in entries]
        named = [(keys[i].as_py(), partitions[i].as_py()) for i, _ in entries]
        return made.sealed(1, {0: made.instant, 2: "{}"}, content(encoded(orderings, named)))

    none = wrapped("Int", 0)
    written = delete_block(made.instant, keys, partitions, [column], "{}")
    assert written == block((0, ordering)) + block((1, none))
    written = delete_block(made.instant, keys, partitions, [column, pa.array([1, 1], LONG)], "{}")
    assert written == block((0, array(ordering, wrapped("Long", 1)))) + block((1, none))
    full = column.take(pa.array([0, 0]))
    assert delete_block(made.instant, keys, partitions, [full], "{}") == block((0, ordering), (1, ordering))
    assert delete_block(made.instant, keys, partitions, [], "{}") == block((0, none), (1, none))


def test_an_ordering_value_that_no_delete_can_have_is_refused(made):
    with pytest.raises(DataError, match="list"):
        delete_block(made.instant, pa.array(["k"]), pa.array([""]), [pa.array([[1]])], "{}")
    tiny = pa.array([Decimal(1).scaleb(-20)], pa.decimal128(38, 20))
    with pytest.raises(DataError, match="cannot be written to a delete block"):
        delete_block(made.instant, pa.array(["k"]), pa.array([""]), [tiny], "{}")
