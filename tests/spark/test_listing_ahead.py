"""Spark lists many base files beside the plan, and what it finds counts only where the plan says the same."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import CorruptTableError
from hoodoo.spark import ahead, scan
from hoodoo.spark.ahead import latest_by_name, names_by_folder
from hoodoo.spark.base_files import Folders
from hoodoo.spark.scan import Scan
from hoodoo.storage import LocalStorage
from hoodoo.testing.engine import write_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "place", "ordering": "ts", "hive_style": True}


def rows(ts: int, *ids: str) -> pa.Table:
    """Keys, the last character of each its partition."""
    return pa.table({"id": ids, "place": [name[-1] for name in ids], "ts": pa.array([ts] * len(ids), pa.int64())})


def read(frame: DataFrame) -> list[tuple[str, int]]:
    return sorted((row.id, row.ts) for row in frame.collect())


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Three partitions, one of which has a superseded file."""
    write_arrow(rows(1, "a1", "b1", "a2", "a3"), tmp_path / "t", OPTIONS)
    write_arrow(rows(2, "b1"), tmp_path / "t", OPTIONS)
    return tmp_path / "t"


@pytest.fixture
def listings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Any number of files is many. What comes of a listing: by which thread it was made."""
    monkeypatch.setattr(scan, "MOST_PATHS", 0)
    made: list[str] = []
    listed = Scan.listed

    def counted(*arguments: Any) -> Any:
        made.append("here" if threading.current_thread() is threading.main_thread() else "ahead")
        return listed(*arguments)

    monkeypatch.setattr(Scan, "listed", counted)
    return made


NOW = [("a1", 1), ("a2", 1), ("a3", 1), ("b1", 2)]


@pytest.mark.parametrize("hive_style", [True, False])
@pytest.mark.parametrize("options", [{}, {"meta_columns": False}, {"columns": "ts,id"}, {"columns": "place,id,ts"}])
def test_a_snapshot_is_listed_once(
    options: dict[str, Any], hive_style: bool, spark: SparkSession, tmp_path: Path, listings: list[str]
) -> None:
    for written in (rows(1, "a1", "b1", "a2", "a3"), rows(2, "b1")):
        write_arrow(written, tmp_path, OPTIONS | {"hive_style": hive_style})
    frame = hoodoo.read(spark, tmp_path, **options)
    assert listings == ["ahead"]
    assert frame.columns == hoodoo.read(spark, tmp_path, **options, as_of="2100-01-01").columns
    assert read(frame) == NOW


def test_few_files_are_not_listed(table: Path, spark: SparkSession, listings: list[str], monkeypatch: Any) -> None:
    monkeypatch.setattr(scan, "MOST_PATHS", 3)
    assert read(hoodoo.read(spark, table)) == NOW
    assert listings == []


def test_other_queries_are_not_foreseen(table: Path, spark: SparkSession, listings: list[str]) -> None:
    first = hoodoo.Table(table).timeline.commits[0].time
    assert read(hoodoo.read(spark, table, as_of=first)) == [(name, 1) for name, _ in NOW]
    assert read(hoodoo.read(spark, table, query_type="read_optimized")) == NOW
    assert read(hoodoo.read(spark, table, query_type="incremental", begin=first)) == [("b1", 2)]
    assert listings == ["here"] * 3


def test_replaced_groups_are_not_shown(table: Path, spark: SparkSession, listings: list[str]) -> None:
    write_arrow(rows(3, "c2"), table, OPTIONS | {"operation": "insert_overwrite"})
    assert read(hoodoo.read(spark, table)) == [("a1", 1), ("a3", 1), ("b1", 2), ("c2", 3)]
    assert listings == ["ahead"]


def test_what_the_plan_says_otherwise_is_listed_anew(
    table: Path, spark: SparkSession, listings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "latest_by_name", lambda *arguments: Folders.of(latest_by_name(*arguments).paths[1:]))
    assert read(hoodoo.read(spark, table)) == NOW
    assert listings == ["ahead", "here"]


def test_an_attempt_that_was_left_behind_is_not_shown(table: Path, spark: SparkSession, listings: list[str]) -> None:
    [file] = (table / "place=2").glob("*.parquet")
    group, _, commit = file.name.split("_")
    shutil.copy(file, file.with_name(f"{group}_9-9-9_{commit}"))
    assert read(hoodoo.read(spark, table)) == NOW
    # names do not say which of two attempts counts: the first listing may or may not be the right one
    assert listings in (["ahead"], ["ahead", "here"])


def test_files_of_a_commit_that_did_not_end_are_not_shown(
    table: Path, spark: SparkSession, listings: list[str]
) -> None:
    [file] = (table / "place=2").glob("*.parquet")
    group, token, _ = file.name.split("_")
    shutil.copy(file, file.with_name(f"{group}_{token}_20990101000000000.parquet"))
    assert read(hoodoo.read(spark, table)) == NOW
    assert listings == ["ahead"]


def test_logs_are_not_passed_over(tmp_path: Path, spark: SparkSession, listings: list[str]) -> None:
    options = OPTIONS | {"table_type": "MERGE_ON_READ"}
    write_arrow(rows(1, "a1", "b1", "a2"), tmp_path, options)
    write_arrow(rows(2, "b1"), tmp_path, options)
    assert not latest_by_name(names_by_folder(LocalStorage(str(tmp_path))), hoodoo.Table(tmp_path).timeline)
    assert read(hoodoo.read(spark, tmp_path)) == [("a1", 1), ("a2", 1), ("b1", 2)]
    assert "ahead" not in listings


@pytest.mark.parametrize(("come", "made"), [("commit", ["ahead"]), ("attempt", ["ahead", "here"])])
def test_what_comes_in_between_is_not_shown(
    come: str, made: list[str], table: Path, spark: SparkSession, listings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    [file] = (table / "place=2").glob("*.parquet")
    group, _, commit = file.name.split("_")
    listed = Scan.listed

    def slow(*arguments: Any) -> Any:
        if come == "commit" and not listings:
            write_arrow(rows(3, "c2", "b1"), table, OPTIONS)
        elif not listings:
            shutil.copy(file, file.with_name(f"{group}_9-9-9_{commit}"))
        return listed(*arguments)

    monkeypatch.setattr(Scan, "listed", slow)
    assert read(hoodoo.read(spark, table)) == NOW
    assert listings == made


def test_errors_are_those_of_the_plan(table: Path, spark: SparkSession, listings: list[str]) -> None:
    [file] = (table / "place=2").glob("*.parquet")
    file.unlink()
    with pytest.raises(CorruptTableError, match=f"base file 'place=2/{file.name}', which commit .* names, is gone"):
        hoodoo.read(spark, table)
    for commit in (table / ".hoodie").glob("*.commit"):
        commit.write_text("{")
    with pytest.raises(CorruptTableError):
        hoodoo.read(spark, table)
    assert listings == ["ahead"]


def test_threads_of_the_jvm_do_not_pile_up(table: Path, spark: SparkSession, listings: list[str]) -> None:
    def threads() -> int:
        count: int = spark._jvm.java.lang.management.ManagementFactory.getThreadMXBean().getThreadCount()
        return count

    hoodoo.read(spark, table)
    before = threads()
    for _ in range(20):
        hoodoo.read(spark, table)
    assert threads() < before + 10
    assert len(listings) == 21
