"""Spark writes to and reads from a table in an S3 store with Python workers, without jars for the store."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.errors import DataError
from hoodoo.storage import storage_for
from hoodoo.txn import held_write
from hoodoo.writing.data_files import returned_files
from tests.support.by_format import by_format

pytestmark = pytest.mark.spark

OPTIONS = {"table_name": "t", "record_key": "id", "ordering": "ts", "partition_by": "city"}


def frame(spark, *rows):
    return spark.createDataFrame(list(rows), "id long, ts long, city string, v string")


@pytest.mark.representatives(kind=["MERGE_ON_READ"])
@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_rows_are_upserted_and_read(spark, make_bucket, s3_options, kind):
    path = f"s3a://{make_bucket()}/lake/t"
    options = {**OPTIONS, **s3_options, "table_type": kind}
    hoodoo.write(frame(spark, (1, 1, "a b", "one"), (2, 1, "c", "two"), (3, 1, "c", "three")), path, options)
    second = frame(spark, (2, 2, "c", "TWO"), (4, 2, "d", "four"))
    hoodoo.writer(second).options(**options).mode("append").save(path)
    expected = {(1, "a b", "one"), (2, "c", "TWO"), (3, "c", "three"), (4, "d", "four")}

    rows = hoodoo.read(spark, path, **s3_options).select("id", "city", "v")
    assert {tuple(row) for row in rows.collect()} == expected
    assert {tuple(row) for row in rows.where("city = 'c'").collect()} == {row for row in expected if row[1] == "c"}
    for source in by_format(spark, path, **s3_options):
        assert {tuple(row) for row in source.select("id", "city", "v").collect()} == expected
    plan = rows._jdf.queryExecution().toString()
    assert s3_options["fs.s3a.secret.key"] not in plan
    assert s3_options["fs.s3a.access.key"] not in plan


def test_logs_are_compacted_by_executors(spark, make_bucket, s3_options):
    path = f"s3://{make_bucket()}/t"
    options = {**OPTIONS, **s3_options, "table_type": "MERGE_ON_READ"}
    hoodoo.write(frame(spark, (1, 1, "a", "one")), path, options)
    hoodoo.write(frame(spark, (1, 2, "a", "ONE")), path, options)

    assert hoodoo.Table(path, s3_options).compact(spark) is not None
    rows = hoodoo.read(spark, path, query_type="read_optimized", **s3_options).select("id", "v").collect()
    assert [tuple(row) for row in rows] == [(1, "ONE")]


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_executors_store_files_that_are_too_large_to_be_returned(spark, make_bucket, s3_options, monkeypatch, kind):
    """The write releases the table lock, so that executors may store files themselves, and then commits them."""
    path = f"s3://{make_bucket()}/t"
    options = {**OPTIONS, **s3_options, "table_type": kind}
    hoodoo.write(frame(spark, (1, 1, "a", "one"), (2, 1, "b", "two")), path, options)
    monkeypatch.setattr(returned_files, "MOST_BYTES_OF_TASK", 1)
    publish, published = held_write.HeldWrite.publish, []
    monkeypatch.setattr(held_write.HeldWrite, "publish", lambda held: (publish(held), published.append(held.instant)))
    done = hoodoo.write(frame(spark, (1, 2, "a", "ONE"), (3, 2, "c", "three")), path, options)

    assert published == [done.instant]
    rows = hoodoo.read(spark, path, **s3_options).select("id", "v").collect()
    assert sorted(map(tuple, rows)) == [(1, "ONE"), (2, "two"), (3, "three")]
    assert list(storage_for(path, s3_options).walk(".hoodie/.temp")) == []


@pytest.mark.nightly
def test_a_failed_task_of_a_small_write_leaves_no_file(spark, make_bucket, s3_options):
    path = f"s3://{make_bucket()}/t"
    options = {**OPTIONS, **s3_options}
    hoodoo.write(frame(spark, (1, 1, "a", "one"), (2, 1, "b", "two")), path, options)
    storage = storage_for(path, s3_options)
    before = {info.path for info in storage.walk() if not info.path.endswith(".lock")}
    with pytest.raises(DataError, match="ts"):
        hoodoo.write(frame(spark, (1, 2, "a", "ONE"), (2, None, "b", "TWO")), path, options)

    assert {info.path for info in storage.walk() if not info.path.endswith(".lock")} == before
    assert sorted(row.v for row in hoodoo.read(spark, path, **s3_options).collect()) == ["one", "two"]


def test_files_in_a_bucket_are_bootstrapped(spark, make_bucket, s3_options, tmp_path):
    """The access to the store comes from the options or from the session."""
    bucket = make_bucket()
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": [1, 2], "ts": [1, 1]}), sink)
    files = storage_for(f"s3://{bucket}/files", s3_options)
    for city in ("a", "b"):
        files.create(f"city={city}/x.parquet", sink.getvalue().to_pybytes())
    options = {
        **OPTIONS,
        "record_key": "id,city",
        "operation": "bootstrap",
        "bootstrap_path": f"s3a://{bucket}/files",
        "bootstrap_selector": "FULL_RECORD",
    }
    nothing = spark.createDataFrame([], "struct<>")
    hoodoo.write(nothing, f"s3a://{bucket}/t", {**options, **s3_options})
    for key, value in s3_options.items():
        spark.conf.set(f"spark.hadoop.{key}", value)
    try:
        hoodoo.write(nothing, tmp_path / "t", options)
    finally:
        for key in s3_options:
            spark.conf.unset(f"spark.hadoop.{key}")

    for table in (hoodoo.Table(f"s3a://{bucket}/t", s3_options), hoodoo.Table(tmp_path / "t")):
        rows = table.to_arrow(["id", "city"]).to_pylist()
        assert sorted((row["id"], row["city"]) for row in rows) == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]


def test_the_session_may_say_how_the_store_is_reached(spark, make_bucket, s3_options):
    path = f"s3a://{make_bucket()}/t"
    for key, value in s3_options.items():
        spark.conf.set(f"spark.hadoop.{key}", value)
    try:
        hoodoo.write(frame(spark, (1, 1, "a", "one")), path, OPTIONS)
        assert [row.v for row in hoodoo.read(spark, path).collect()] == ["one"]
    finally:
        for key in s3_options:
            spark.conf.unset(f"spark.hadoop.{key}")


def test_no_secret_is_in_what_is_shown_of_a_write(spark, make_bucket, s3_options):
    writer = hoodoo.writer(frame(spark, (1, 1, "a", "one"))).options(**OPTIONS, **s3_options)
    path = f"s3a://{make_bucket()}/t"
    shown = repr(writer) + repr(writer.save(path))
    table = hoodoo.Table(path, s3_options)
    shown += repr(table) + repr(table.splits())
    for key in ("fs.s3a.secret.key", "fs.s3a.access.key"):
        assert s3_options[key] not in shown
