"""Spark's own Parquet reader reads tables in an S3 store if the session has Hadoop's S3A: `tox -e stores`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hoodoo
from hoodoo.spark.scan import parquet_scan, session_stores
from hoodoo.spark.workers import divided_slices
from hoodoo.storage import storage_for

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif("HOODOO_S3A" not in os.environ, reason="the session lacks Hadoop's S3A: tox -e stores"),
]

OPTIONS = {"table_name": "t", "record_key": "id", "ordering": "ts", "partition_by": "city"}


def frame(spark, *rows):
    return spark.createDataFrame(list(rows), "id long, ts long, city string, v string")


def plan_of(rows) -> str:
    return rows._jdf.queryExecution().toString()


def sorted_rows(rows):
    return sorted(map(tuple, rows.select("id", "city", "v").collect()))


FIRST = [(1, 1, "a b", "one"), (2, 1, "c\u00e9", "two"), (3, 1, "c\u00e9", "three")]
NOW = [(1, "a b", "one"), (2, "c\u00e9", "TWO"), (3, "c\u00e9", "three"), (4, "d", "four")]


@pytest.fixture
def path(make_bucket):
    return f"s3a://{make_bucket()}/la ke@x+{{1}}/t"


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """Remove the results of lookups in other tests."""
    monkeypatch.setattr(session_stores, "_failures", type(session_stores._failures)())


def written(spark, path, options):
    hoodoo.write(frame(spark, *FIRST), path, options)
    hoodoo.write(frame(spark, (2, 2, "c\u00e9", "TWO"), (4, 2, "d", "four")), path, options)


@pytest.mark.parametrize("hive_style", [True, False])
@pytest.mark.parametrize("scheme", ["s3a", "s3"])
def test_base_files_are_read_by_spark_with_filters_and_columns(spark, path, s3_options, hive_style, scheme):
    path = scheme + path.removeprefix("s3a")
    written(spark, path, {**OPTIONS, **s3_options, "hive_style": hive_style})
    rows = hoodoo.read(spark, path, **s3_options)
    assert sorted_rows(rows) == NOW
    chosen = rows.where("city = 'c\u00e9' and id > 2").select("v")
    assert [row.v for row in chosen.collect()] == ["three"]
    plan = plan_of(chosen)
    assert "FileScan parquet" in plan
    assert "GreaterThan(id,2)" in plan
    assert "ReadSchema: struct<id:bigint" in plan
    assert "ts:" not in plan[plan.rindex("ReadSchema") :]
    if hive_style:
        assert "PartitionFilters: [isnotnull(city" in plan
    for key in ("fs.s3a.secret.key", "fs.s3a.access.key"):
        assert s3_options[key] not in plan


@pytest.mark.parametrize("most", [0, 32])
def test_files_are_looked_up_or_listed_where_a_manifest_is_not_read(spark, path, s3_options, most, monkeypatch):
    monkeypatch.setattr(parquet_scan, "MOST_PATHS", most)
    monkeypatch.setattr(parquet_scan, "reads_manifests", lambda spark: False)
    written(spark, path, {**OPTIONS, **s3_options})
    rows = hoodoo.read(spark, path, **s3_options)
    assert "FileScan parquet" in plan_of(rows)
    assert sorted_rows(rows) == NOW


def test_slices_with_logs_are_divided(spark, path, s3_options, monkeypatch):
    monkeypatch.setattr(divided_slices, "LEAST_BYTES", 1)
    written(spark, path, {**OPTIONS, **s3_options, "table_type": "MERGE_ON_READ"})
    rows = hoodoo.read(spark, path, **s3_options)
    assert "FileScan parquet" in plan_of(rows)
    assert sorted_rows(rows) == NOW


def test_incremental_and_time_travel_reads(spark, path, s3_options):
    written(spark, path, {**OPTIONS, **s3_options})
    first = hoodoo.Table(path, s3_options).timeline.commits[0].time
    changed = hoodoo.read(spark, path, query_type="incremental", begin=first, **s3_options)
    assert sorted_rows(changed) == [row for row in NOW if row[2].isupper() or row[0] == 4]
    before = hoodoo.read(spark, path, as_of=first, **s3_options)
    assert sorted_rows(before) == [(id_, city, v) for id_, _, city, v in FIRST]
    assert "FileScan parquet" in plan_of(changed)
    assert "FileScan parquet" in plan_of(before)


def test_a_store_that_the_session_does_not_reach_is_read_by_workers(spark, path, s3_options, caplog, monkeypatch):
    written(spark, path, {**OPTIONS, **s3_options})
    elsewhere = {"fs.s3a.endpoint": "http://127.0.0.1:1"}
    options = session_stores.hadoop_options
    monkeypatch.setattr(session_stores, "hadoop_options", lambda given: options(given) | elsewhere)
    with caplog.at_level("INFO", logger="hoodoo"):
        rows = hoodoo.read(spark, path, **s3_options)
    assert "FileScan" not in plan_of(rows)
    assert sorted_rows(rows) == NOW
    assert f"the session does not read {path} as 's3a://" in caplog.text
    assert f"hoodoo Python workers [3 file slices: the session does not read {path}: as 's3a:', " in plan_of(rows)
    assert s3_options["fs.s3a.secret.key"] not in plan_of(rows)
    assert s3_options["fs.s3a.secret.key"] not in caplog.text


def test_another_file_under_the_same_name_is_not_read(spark, path, s3_options, caplog, monkeypatch):
    """The session may find a bucket of this name in another store; a file of another size is read by workers."""
    written(spark, path, {**OPTIONS, **s3_options})
    monkeypatch.setattr(session_stores, "_size", lambda spark, source, path: 1)
    rows = hoodoo.read(spark, path, **s3_options)
    assert "FileScan" not in plan_of(rows)
    assert sorted_rows(rows) == NOW
    assert "finds another file of 1 byte " in caplog.text


def test_a_lookup_is_not_repeated(spark, path, s3_options, monkeypatch):
    written(spark, path, {**OPTIONS, **s3_options})
    calls = []
    found = session_stores._size
    monkeypatch.setattr(session_stores, "_size", lambda *given: calls.append(given) or found(*given))
    for _ in range(3):
        assert sorted_rows(hoodoo.read(spark, path, **s3_options)) == NOW
    assert len(calls) == 1


def test_a_missing_file_is_an_error_of_the_read(spark, path, s3_options):
    written(spark, path, {**OPTIONS, **s3_options})
    storage = storage_for(path, s3_options)
    rows = hoodoo.read(spark, path, **s3_options)
    for info in storage.walk():
        if info.path.endswith(".parquet"):
            storage.delete(info.path)
    with pytest.raises(Exception, match=r"No such file or directory|FileNotFound"):
        rows.collect()


@pytest.mark.usefixtures("connect_port")
@pytest.mark.parametrize("most", [0, 32])
def test_a_server_of_spark_connect_reads_base_files(spark, path, s3_options, most):
    written(spark, path, {**OPTIONS, **s3_options})
    script = Path(__file__).with_name("connect_job.py")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SPARK_")}
    command = [sys.executable, str(script), path, json.dumps(s3_options), str(most)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-8000:]
    facts = json.loads(done.stdout.splitlines()[-1])
    assert facts["session"].startswith("pyspark.sql.connect.")
    assert facts["rows"] == [list(row) for row in NOW]
    assert "FileScan parquet" in facts["plan"]
    assert s3_options["fs.s3a.secret.key"] not in facts["plan"]
