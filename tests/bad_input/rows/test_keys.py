"""Record keys and ordering values that are missing, null, empty or unusable."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hoodoo.errors import DataError, SchemaError

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("bad", [None, ""])
@pytest.mark.parametrize("index", [{}, {"index": "bucket", "buckets": 2}], ids=["simple", "bucket"])
@pytest.mark.parametrize("exists", [False, True])
def test_a_row_without_record_key(place, refuses, bad, index, exists):
    if exists:
        place.write(**index)
    rows = place.rows_with(id=["a", bad, "c"])

    refuses.late(
        DataError,
        "key_null_or_empty",
        "'id'",
        "null or empty in 1 of 3 rows",
        "counted from 0: 1",
        "drop such rows",
        write=lambda: place.write(rows, **index),
        good=lambda: place.write(**index),
    )


@pytest.mark.parametrize("operation", ["insert", "bulk_insert", "delete"])
def test_a_row_without_record_key_in_other_operations(place, refuses, operation):
    place.write()
    rows = place.rows_with(id=["a", None, "c"])

    refuses.late(DataError, "key_null_or_empty", "'id'", write=lambda: place.write(rows, operation=operation))


def test_a_composite_key_without_any_part(place, refuses):
    rows = place.rows_with(id=["a", None, "c"], v=["1", "", "3"])

    refuses.late(
        DataError, "key_null_or_empty", "'id', 'v'", "1 of 3 rows", write=lambda: place.write(rows, record_key="id,v")
    )


def test_a_composite_key_with_one_part_is_a_key(place):
    """Hudi does the same: null and empty parts have different placeholders."""
    place.write(place.rows_with(id=["a", None, ""]), record_key="id,v")

    assert [row["id"] for row in place.rows()] == ["", "a", None]


@pytest.mark.parametrize("nested", [[{"id": "a"}, {"id": None}, {"id": "c"}], [{"id": "a"}, None, {"id": "c"}]])
@pytest.mark.parametrize("exists", [False, True])
def test_a_nested_key_that_is_null(place, refuses, nested, exists):
    good = place.rows_with(k=[{"id": "a"}, {"id": "b"}, {"id": "c"}])
    if exists:
        place.write(good, record_key="k.id")

    refuses.late(
        DataError,
        "key_null_or_empty",
        "'k.id'",
        "1 of 3 rows",
        write=lambda: place.write(place.rows_with(k=nested), record_key="k.id"),
        good=lambda: place.write(good, record_key="k.id"),
    )


@pytest.mark.parametrize(
    ("option", "value", "columns", "missing"),
    [
        ("record_key", "id", {"id": None}, "id"),
        ("record_key", "id,v", {"v": None}, "v"),
        ("record_key", "k.id", {"k": [{"x": "a"}] * 3}, "k.id"),
        ("partition_by", "part", {"part": None}, "part"),
        ("ordering", "ts", {"ts": None}, "ts"),
        ("ordering", "ts,n", {}, "n"),
        ("arrival", "seq", {}, "seq"),
    ],
)
def test_a_column_that_an_option_names_is_missing(place, refuses, option, value, columns, missing):
    rows = place.rows_with(**columns)

    refuses.early(
        SchemaError,
        "column_missing",
        f"no column '{missing}'",
        f"'{option}' names",
        write=lambda: place.write(rows, **{option: value}),
    )


@pytest.mark.parametrize(("option", "column"), [("record_key", "id"), ("partition_by", "part"), ("ordering", "ts")])
def test_a_column_that_the_stored_table_needs_is_missing(place, refuses, option, column):
    place.write()
    rows = place.rows_with(**{column: None})

    refuses.early(
        SchemaError,
        "column_missing",
        f"no column '{column}'",
        f"'{option}' names",
        "v",
        write=lambda: place.write(rows),
    )


@pytest.mark.parametrize("exists", [False, True])
def test_the_payload_ordering_column_is_missing(place, refuses, exists):
    options = {"payload": "event-time", "payload_ordering": "po"}
    if exists:
        place.write(place.rows_with(po=[1, 2, 3]), **options)

    refuses.early(
        SchemaError,
        "column_missing",
        "no column 'po'",
        "'payload_ordering' names",
        "add it, or name one of id, part, ts, v",
        write=lambda: place.write(**options),
    )


def test_an_ordering_value_that_is_null(either, refuses):
    rows = either.rows_with(ts=[1, None, 3])

    refuses.late(
        DataError,
        "ordering_null",
        "'ts'",
        "null in 1 incoming row ",
        "keys such as 'b'",
        "give such rows a value",
        write=lambda: either.write(rows),
    )


def test_a_payload_ordering_value_that_is_null(place, refuses):
    options = {"payload": "event-time", "payload_ordering": "po"}
    good = place.rows_with(po=[1, 2, 3])
    place.write(good, **options)

    refuses.late(
        DataError,
        "ordering_null",
        "'po'",
        "keys such as 'b'",
        write=lambda: place.write(place.rows_with(po=[1, None, 3]), **options),
        good=lambda: place.write(good, **options),
    )


UNORDERED: dict[str, Any] = {
    "list": [[1], [2], [3]],
    "struct": [{"a": 1}] * 3,
    "map": pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int64())),
}


@pytest.mark.parametrize("kind", UNORDERED)
@pytest.mark.parametrize("option", ["ordering", "payload_ordering"])
def test_an_ordering_column_of_a_type_without_order(place, refuses, option, kind):
    rows = place.rows_with(o=UNORDERED[kind])

    refuses.early(
        SchemaError,
        "ordering_type",
        "ordering column 'o'",
        kind,
        "cannot be ordered",
        "use a number",
        write=lambda: place.write(rows, payload="event-time", **{option: "o"}),
    )
