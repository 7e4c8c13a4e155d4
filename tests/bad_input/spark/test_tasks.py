"""Errors in rows and files, which tasks detect."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

from hoodoo.errors import CorruptTableError, DataError

from .usual_input import COLUMNS, ROWS, assert_readable

pytestmark = pytest.mark.spark


def changed(position, value):
    """Return the usual rows with one value of the second row replaced."""
    row = list(ROWS[1])
    row[position] = value
    return [ROWS[0], tuple(row), ROWS[2]]


@pytest.mark.nightly
@pytest.mark.representatives(options=[{}])
@pytest.mark.parametrize(
    "options",
    [{}, {"index": "bucket", "buckets": 2}, {"index": "global-simple"}, {"operation": "bulk_insert"}],
    ids=["simple", "bucket", "global", "bulk_insert"],
)
def test_values_that_share_a_folder(spark, send, refuses, options):
    """Rows of one folder are written by several tasks, and the driver compares the values that they report."""
    columns = "id string, part string, place string, ts long"
    rows = [(str(n), "x/y" if n % 2 else "x", "z" if n % 2 else "y/z", n) for n in range(20)]
    good = spark.createDataFrame([row for row in rows if row[1] == "x"], columns)

    refuses.late(
        DataError,
        "path_collision",
        "part='x/y', place='z'",
        "part='x', place='y/z'",
        "'x/y/z'",
        write=lambda: send(spark.createDataFrame(rows, columns).repartition(5), partition_by="part,place", **options),
        good=lambda: send(good, partition_by="part,place", **options),
    )


@pytest.mark.nightly
@pytest.mark.parametrize("operation", ["upsert", "bulk_insert"])
@pytest.mark.parametrize(("column", "which"), [("v", "'b'"), ("id", r"id='\\xff'"), ("part", "'b'")])
def test_bytes_that_are_no_text(spark, send, refuses, operation, column, which):
    """Spark makes a string of any bytes. A bulk insert brings rows to tasks before their keys are checked."""
    bad = F.expr(f"if(id = 'b', cast(X'ff' as string), {column})")
    rows = spark.createDataFrame(ROWS, COLUMNS).withColumn(column, bad)

    refuses.late(
        DataError,
        "invalid_text",
        f"column '{column}'",
        which,
        write=lambda: send(rows, operation=operation),
        good=lambda: send(operation=operation),
    )


@pytest.mark.nightly
def test_a_map_with_a_key_twice(spark, tmp_path, send, refuses):
    """Spark does not create such maps, but reads them from files."""
    maps = pa.array([[("k", 1)], [("k", 1), ("k", 2)], []], pa.map_(pa.string(), pa.int64()))
    table = pa.table({"id": ["a", "b", "c"], "part": ["x"] * 3, "ts": [1, 2, 3], "v": maps})
    pq.write_table(table, tmp_path / "rows.parquet")
    rows = spark.read.parquet(str(tmp_path / "rows.parquet"))

    refuses.late(
        DataError,
        "repeated_map_key",
        "column 'v'",
        "keys such as 'b'",
        write=lambda: send(rows),
        good=lambda: send(rows.where("id != 'b'")),
    )


@pytest.mark.nightly
@pytest.mark.representatives(index=["simple"])
@pytest.mark.parametrize("index", ["simple", "bucket", "global-simple"])
def test_values_that_share_a_record_key(spark, send, refuses, index):
    rows = spark.createDataFrame([("x,v:y", "x", 1, "z"), ("x", "x", 2, "y,v:z")], COLUMNS).repartition(2)

    refuses.late(
        DataError,
        "key_collision",
        "id='x,v:y', v='z'",
        "id='x', v='y,v:z'",
        "'id:x,v:y,v:z'",
        write=lambda: send(rows, record_key="id,v", index=index),
        good=lambda: send(record_key="id,v", index=index),
    )


@pytest.mark.each_value
@pytest.mark.parametrize("index", [{}, {"index": "bucket", "buckets": 2}], ids=["simple", "bucket"])
@pytest.mark.parametrize(
    ("position", "value", "code", "words"),
    [
        (0, None, "key_null_or_empty", ["'id'", "every record needs a key"]),
        (1, "../up", "path_traversal", ["'part'", "'../up'"]),
        (2, None, "ordering_null", ["'ts'", "keys such as 'b'"]),
    ],
)
def test_errors_in_the_rows(send, refuses, position, value, code, words, index):
    send(**index)

    error = refuses.late(
        DataError, code, *words, write=lambda: send(changed(position, value)), good=lambda: send(changed(3, "new"))
    )

    assert_readable(error)


@pytest.mark.nightly
def test_errors_in_the_rows_of_a_new_table(send, refuses):
    refuses.late(
        DataError, "key_null_or_empty", "'id'", write=lambda: send(changed(0, None)), good=lambda: send(record_key="v")
    )


def test_a_damaged_base_file(place, send):
    send()
    (file,) = place.path.glob("x/*.parquet")
    body, rows = file.read_bytes(), place.rows()
    file.write_bytes(body[:-10])

    with pytest.raises(CorruptTableError, match="is damaged") as caught:
        send()

    assert caught.value.file == str(file.relative_to(place.path))
    assert_readable(caught.value)
    file.write_bytes(body)
    assert place.rows() == rows
    place.check_tidy()
