"""Columns and types that do not fit the table, or no Hudi table at all."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import DataError, SchemaError

pytestmark = pytest.mark.slow

NARROWED = {
    "long into int": (pa.int32(), pa.int64()),
    "double into float": (pa.float32(), pa.float64()),
    "double into long": (pa.int64(), pa.float64()),
    "long decimal into short": (pa.decimal128(10, 2), pa.decimal128(12, 2)),
    "more digits behind the point": (pa.decimal128(12, 2), pa.decimal128(12, 4)),
}
CHANGED = {
    "long to string": (pa.string(), pa.int64()),
    "string to long": (pa.int64(), pa.string()),
    "string to binary": (pa.binary(), pa.string()),
    "boolean to int": (pa.int32(), pa.bool_()),
    "date to timestamp": (pa.timestamp("us", "UTC"), pa.date32()),
    "list item": (pa.list_(pa.string()), pa.list_(pa.int64())),
    "struct field": (pa.struct([("a", pa.string())]), pa.struct([("a", pa.int64())])),
    "struct field more": (pa.struct([("a", pa.string())]), pa.struct([("a", pa.string()), ("b", pa.string())])),
    "map value": (pa.map_(pa.string(), pa.string()), pa.map_(pa.string(), pa.int64())),
}


@pytest.mark.parametrize("case", [*NARROWED, *CHANGED])
def test_a_type_that_the_table_cannot_take(place, refuses, case):
    table, incoming = {**NARROWED, **CHANGED}[case]
    place.write(place.rows_with(c=pa.nulls(3, table)))

    refuses.early(
        SchemaError,
        "schema_fit",
        "column 'c'",
        "has type",
        "cast it",
        write=lambda: place.write(place.rows_with(c=pa.nulls(3, incoming))),
    )


@pytest.mark.parametrize(
    ("table", "incoming"),
    [(pa.int64(), pa.int32()), (pa.float64(), pa.float32()), (pa.decimal128(12, 2), pa.decimal128(10, 1))],
)
def test_a_narrower_type_is_widened(place, table, incoming):
    place.write(place.rows_with(c=pa.array([1, 2, 3]).cast(pa.float64()).cast(table)))

    place.write(place.rows_with(c=pa.array([7, 8, 9]).cast(pa.float64()).cast(incoming)))

    assert [int(row["c"]) for row in place.rows()] == [7, 8, 9]


def test_every_column_that_does_not_fit_is_named(place, refuses):
    required = pa.schema(
        [("id", pa.string()), ("part", pa.string()), ("ts", pa.int64()), pa.field("v", pa.string(), False)]
    )
    place.write(place.rows_with().cast(required))
    rows = place.rows_with(v=None, ts=["1", "2", "3"], PART=["x", "x", "y"], part=None)

    refuses.early(
        SchemaError,
        "schema_fit",
        "'v' is missing and the table requires it",
        "'ts' has type string",
        "'PART'",
        "only in case",
        write=lambda: place.write(rows),
    )


def test_a_null_in_a_column_that_the_table_requires(place, refuses):
    required = pa.schema(
        [("id", pa.string()), ("part", pa.string()), ("ts", pa.int64()), pa.field("v", pa.string(), False)]
    )
    place.write(place.rows_with().cast(required))
    rows = place.rows_with(v=["1", None, "3"])

    refuses.late(
        DataError,
        "null_in_required_column",
        "'v'",
        "null in 1 incoming row ",
        "keys such as 'b'",
        "give such rows a value",
        write=lambda: place.write(rows),
    )


UNSUPPORTED = {
    "timestamp without zone": (pa.timestamp("us"), "cast it to zone UTC"),
    "duration": (pa.duration("us"), "cast it to an integer"),
    "interval": (pa.month_day_nano_interval(), "cast it"),
    "null": (pa.null(), "a column of type null"),
    "time": (pa.time64("us"), "cast it to string"),
    "unsigned": (pa.uint64(), "cast it to int64"),
    "wide decimal": (pa.decimal256(50, 2), "at most 38 digits"),
    "map of integers": (pa.map_(pa.int32(), pa.string()), "cast the keys"),
}


@pytest.mark.parametrize("case", UNSUPPORTED)
def test_a_type_that_no_hudi_table_holds(either, refuses, case):
    type_, advice = UNSUPPORTED[case]
    rows = either.rows_with(c=pa.nulls(3, type_))

    refuses.early(SchemaError, "column_type", "column 'c'", str(type_), advice, write=lambda: either.write(rows))


NOTHING = pa.struct([])


@pytest.mark.parametrize("table_version", [6, 9])
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("log_format", ["parquet", "avro"])
@pytest.mark.parametrize(
    ("type_", "path"),
    [
        (NOTHING, "c"),
        (pa.list_(NOTHING), "c[]"),
        (pa.map_(pa.string(), NOTHING), "c{}"),
        (pa.struct([("a", pa.int32()), ("b", pa.list_(pa.struct([("d", NOTHING)])))]), "c.b[].d"),
    ],
)
@pytest.mark.parametrize("exists", [False, True])
def test_a_struct_without_fields(place, refuses, type_, path, table_version, table_type, log_format, exists):
    kind = {"table_version": table_version, "table_type": table_type, "log_format": log_format}
    if exists:
        place.write(**kind)
    rows = place.rows_with(c=pa.nulls(3, type_))

    refuses.early(
        SchemaError,
        "column_type",
        f"column '{path}' has type struct<>",
        "drop the column",
        write=lambda: place.write(rows, **kind),
    )


def test_a_nested_type_that_no_hudi_table_holds(place, refuses):
    rows = place.rows_with(c=pa.nulls(3, pa.struct([("s", pa.list_(pa.timestamp("us")))])))

    refuses.early(SchemaError, "column_type", "'c.s[]'", "zone UTC", write=lambda: place.write(rows))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ID", ["'id' and 'ID'", "case only", "rename"]),
        ("__hoodoo_route", ["'__hoodoo_route'", "reserved"]),
        ("_HOODIE_RECORD_KEY", ["'_HOODIE_RECORD_KEY'", "reserved"]),
        ("a-b", ["'a-b'", "rename the column"]),
        ("1st", ["'1st'", "rename the column"]),
        ("größe", ["'größe'", "rename the column"]),
        ("", ["rename the column"]),
    ],
)
def test_a_column_name_that_cannot_be(either, refuses, name, words):
    rows = either.rows_with(**{name: ["1", "2", "3"]})

    refuses.early(SchemaError, "column_name", *words, write=lambda: either.write(rows))


def test_a_column_that_comes_twice(either, refuses):
    rows = either.rows_with().append_column("v", pa.array(["1", "2", "3"]))

    refuses.early(SchemaError, "column_name", "'v'", "twice", "rename", write=lambda: either.write(rows))


def test_rows_without_columns(either, refuses):
    refuses.early(SchemaError, "column_missing", "'record_key'", write=lambda: either.write(pa.table({})))


def test_a_table_that_is_read_and_written_back_brings_its_meta_columns(place):
    """Incoming meta columns are dropped: they belong to the table, not to the user."""
    place.write()
    rows = place.rows_with(_hoodie_record_key=["no", "such", "keys"], _hoodie_commit_time=["0", "0", "0"])

    place.write(rows)

    assert [row["id"] for row in place.rows()] == ["a", "b", "c"]
