"""Values that Arrow and Spark accept but no reader could read: bytes that are not text, maps with a repeated key."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import DataError

pytestmark = pytest.mark.slow

BYTES = b"x\xff\xfe"
INDEXES = [{"index": "bucket", "buckets": 1}, {"index": "global-bloom"}]


def text(*values: bytes | None) -> pa.Array:
    """Return a string array of these bytes, which need not be UTF-8; None is null."""
    binary = pa.array(values, pa.binary())
    return pa.StringArray.from_buffers(len(binary), binary.buffers()[1], binary.buffers()[2], binary.buffers()[0])


GOOD = text(b"1", b"2", b"3")
BAD = text(b"1", BYTES, b"3")
ENDS = pa.array([0, 1, 2, 3], pa.int32())
SHAPES = {
    "text": lambda values: values,
    "large": lambda values: values.cast(pa.large_string()),
    "dictionary": lambda values: values.dictionary_encode(),
    "list": lambda values: pa.ListArray.from_arrays(ENDS, values),
    "field": lambda values: pa.StructArray.from_arrays([values, values], ["a", "b"]),
    "map key": lambda values: pa.MapArray.from_arrays(ENDS, values, GOOD),
    "map value": lambda values: pa.MapArray.from_arrays(ENDS, GOOD, values),
    "deep": lambda values: pa.ListArray.from_arrays(
        ENDS, pa.StructArray.from_arrays([pa.MapArray.from_arrays(ENDS, GOOD, values)], ["m"])
    ),
}


@pytest.mark.each_value
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("exists", [False, True])
def test_bytes_that_are_not_text(place, refuses, shape, table_kind, exists):
    """The second batch goes to logs, if the table has them."""
    options = {"index": "bucket", "buckets": 1, **table_kind}
    made = SHAPES[shape]
    if exists:
        place.write(place.rows_with(v=made(GOOD)), **options)

    refuses.late(
        DataError,
        "invalid_text",
        "column 'v' has bytes that are not UTF-8 text in 1 incoming row ",
        "keys such as 'b'",
        "correct them",
        write=lambda: place.write(place.rows_with(v=made(BAD)), **options),
        good=lambda: place.write(place.rows_with(v=made(GOOD)), **options),
    )


each_operation = pytest.mark.parametrize("operation", ["upsert", "insert", "bulk_insert", "insert_overwrite", "delete"])
each_column = pytest.mark.parametrize("column", ["id", "part"])


@pytest.mark.each_value
@each_operation
@each_column
def test_keys_and_partition_values(place, refuses, table_kind, operation, column):
    refused_text(place, refuses, table_kind, operation, column)


@pytest.mark.each_value
@pytest.mark.parametrize("index", INDEXES, ids=lambda index: index["index"])
@each_operation
@each_column
def test_keys_and_partition_values_by_index(place, refuses, index, operation, column):
    kind = {"table_version": 9, "table_type": "MERGE_ON_READ", "log_format": "avro", **index}
    refused_text(place, refuses, kind, operation, column)


def refused_text(place, refuses, options, operation, column):
    if operation == "delete":
        place.write(**options)
    word = r"id='x\\xff\\xfe'" if column == "id" else "id='b'"

    refuses.late(
        DataError,
        "invalid_text",
        f"column '{column}' has bytes that are not UTF-8 text in 1 incoming row ",
        word,
        write=lambda: place.write(place.rows_with(**{column: BAD}), operation=operation, **options),
        good=lambda: place.write(**options),
    )


@pytest.mark.parametrize("operation", ["upsert", "delete"])
def test_ordering_values(place, refuses, table_kind, operation):
    """Ordering values of a delete are checked, although they are stored in a delete block or in no file at all."""
    options = {"index": "bucket", "buckets": 1, **table_kind}
    place.write(place.rows_with(ts=GOOD), **options)

    refuses.late(
        DataError,
        "invalid_text",
        "column 'ts'",
        "keys such as 'b'",
        write=lambda: place.write(place.rows_with(ts=BAD), operation=operation, **options),
        good=lambda: place.write(place.rows_with(ts=GOOD), **options),
    )


def test_three_keys_are_named(place, refuses):
    rows = pa.table({"id": [str(n) for n in range(9)], "part": ["x"] * 9, "ts": [1] * 9, "v": text(*[BYTES] * 8, b"")})

    error = refuses.late(DataError, "invalid_text", "in 8 incoming rows", write=lambda: place.write(rows))

    assert re.search(r"in 8 incoming rows \(keys such as '[0-7]', '[0-7]', '[0-7]'\)", str(error))


def test_bytes_that_belong_to_no_value(place):
    """Bytes under a null, or in an unused part of an array, are not written."""
    masked = pa.StructArray.from_arrays([BAD], ["a"], mask=pa.array([False, True, False]))
    cut = text(b"1", b"2", b"3", BYTES).slice(0, 3)
    lists = pa.ListArray.from_arrays([0, 1, 2, 3, 4], text(b"1", b"2", b"3", BYTES)).slice(0, 3)
    place.write(place.rows_with(v=cut, w=masked, u=lists))

    assert [(row["v"], row["w"], row["u"]) for row in place.rows()] == [
        ("1", {"a": "1"}, ["1"]),
        ("2", None, ["2"]),
        ("3", {"a": "3"}, ["3"]),
    ]


def test_any_text_is_written(place):
    values = ["", "é", "鍵 😀", "\0", "\ufeff", "\U0010ffff"]
    rows = pa.table({"id": values[1:], "part": ["x"] * 5, "ts": [1] * 5, "v": values[:-1]})
    place.write(rows)

    assert sorted(row["id"] for row in place.rows()) == sorted(values[1:])


def maps(*keys: list[str] | None) -> pa.Array:
    entries = [None if of is None else [(key, number) for number, key in enumerate(of)] for of in keys]
    return pa.array(entries, pa.map_(pa.string(), pa.int64()))


MAPS = {
    "map": lambda values: values,
    "list": lambda values: pa.ListArray.from_arrays(ENDS, values),
    "field": lambda values: pa.StructArray.from_arrays([values], ["a"]),
    "map of maps": lambda values: pa.MapArray.from_arrays(ENDS, GOOD, values),
}
LONG = [f"k{n}" for n in range(40)]


@pytest.mark.each_value
@pytest.mark.parametrize(
    ("shape", "twice"),
    [*((shape, ["k", "k"]) for shape in MAPS), ("map", ["k", "j", "k"]), ("map", [*LONG, "k3"])],
    ids=[*MAPS, "not beside each other", "many keys"],
)
@pytest.mark.parametrize("exists", [False, True])
def test_a_map_with_a_key_twice(place, refuses, shape, twice, table_kind, exists):
    options = {"index": "bucket", "buckets": 1, **table_kind}
    good, bad = (MAPS[shape](maps(["k"], of, ["j", "k"])) for of in (LONG, twice))
    if exists:
        place.write(place.rows_with(v=good), **options)

    refuses.late(
        DataError,
        "repeated_map_key",
        "column 'v' has maps that contain a key twice in 1 incoming row ",
        "keys such as 'b'",
        "keep one",
        write=lambda: place.write(place.rows_with(v=bad), **options),
        good=lambda: place.write(place.rows_with(v=good), **options),
    )


def test_maps_whose_keys_other_rows_have_as_well(place, table_kind):
    values = maps(["k", "j"], ["j", "k"], None)
    options = {"index": "bucket", "buckets": 1, **table_kind}
    for ts in (1, 2):
        place.write(place.rows_with(v=values, ts=[ts] * 3), **options)

    found = [dict(row["v"]) if row["v"] else None for row in place.rows()]
    assert found == [{"k": 0, "j": 1}, {"j": 0, "k": 1}, None]
    if table_kind["table_type"] == "MERGE_ON_READ":
        hoodoo.Table(place.path).compact()
        assert [dict(row["v"]) if row["v"] else None for row in place.rows()] == found


def test_entries_that_belong_to_no_map(place):
    keys, values = pa.array(["k", "k", "k"]), pa.array([1, 2, 3])
    masked = pa.MapArray.from_arrays(pa.array([0, 2, 3]), keys, values, mask=pa.array([True, False]))
    rows = pa.table({"id": ["a", "b"], "part": ["x", "x"], "ts": [1, 1], "v": masked})
    place.write(rows)

    assert [row["v"] for row in place.rows()] == [None, [("k", 3)]]
