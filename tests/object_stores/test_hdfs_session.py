"""Spark's own Parquet reader reads tables in HDFS: `tox -e stores`."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.spark.scan import session_stores
from hoodoo.spark.workers import divided_slices

from .test_session_stores import FIRST, NOW, OPTIONS, plan_of, sorted_rows, written

pytestmark = [pytest.mark.slow, pytest.mark.spark]


@pytest.fixture
def path(hdfs_folder):
    return f"{hdfs_folder}/la ke@x+{{1}}/t"


def test_base_files_are_read_by_spark_with_filters_and_columns(spark, path):
    written(spark, path, {**OPTIONS, "hive_style": True})
    rows = hoodoo.read(spark, path)
    assert sorted_rows(rows) == NOW
    chosen = rows.where("city = 'c\u00e9' and id > 2").select("v")
    assert [row.v for row in chosen.collect()] == ["three"]
    plan = plan_of(chosen)
    assert "FileScan parquet" in plan
    assert "GreaterThan(id,2)" in plan
    assert "PartitionFilters: [isnotnull(city" in plan


def test_slices_with_logs_are_divided(spark, path, monkeypatch):
    monkeypatch.setattr(divided_slices, "LEAST_BYTES", 1)
    written(spark, path, {**OPTIONS, "table_type": "MERGE_ON_READ"})
    rows = hoodoo.read(spark, path)
    assert "FileScan parquet" in plan_of(rows)
    assert sorted_rows(rows) == NOW


def test_incremental_and_time_travel_reads(spark, path):
    written(spark, path, OPTIONS)
    first = hoodoo.Table(path).timeline.commits[0].time
    changed = hoodoo.read(spark, path, query_type="incremental", begin=first)
    assert sorted_rows(changed) == [row for row in NOW if row[2].isupper() or row[0] == 4]
    before = hoodoo.read(spark, path, as_of=first)
    assert sorted_rows(before) == [(id_, city, v) for id_, _, city, v in FIRST]
    assert "FileScan parquet" in plan_of(changed)
    assert "FileScan parquet" in plan_of(before)


def test_a_session_without_access_is_replaced_by_workers(spark, path, monkeypatch):
    """The session looks the file up in another cluster, which does not answer."""
    written(spark, path, OPTIONS)
    monkeypatch.setattr(session_stores, "_failures", type(session_stores._failures)())
    source = session_stores.ScanSource
    monkeypatch.setattr(
        session_stores,
        "ScanSource",
        lambda storage, root, options: source(storage, f"hdfs://127.0.0.1:1/{root.split('/', 3)[3]}", options),
    )
    rows = hoodoo.read(spark, path)
    assert "FileScan parquet" not in plan_of(rows)
    assert sorted_rows(rows) == NOW
