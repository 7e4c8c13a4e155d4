"""Prefetch of large file lists during planning, which is used only if the plan has the same files."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql import functions as F

import hoodoo
from hoodoo.errors import CorruptTableError
from hoodoo.spark.scan import parquet_scan as scan
from hoodoo.spark.scan import prefetch as ahead
from hoodoo.spark.scan.file_listing import Folders
from hoodoo.spark.scan.parquet_scan import Scan
from hoodoo.spark.scan.prefetch import latest_by_name
from hoodoo.spark.session_conf import setting
from hoodoo.spark.workers import divided_slices as divided
from hoodoo.storage import CachedListingStorage, LocalStorage
from hoodoo.testing.engine import write_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "place", "ordering": "ts", "hive_style": True}


def rows(ts: int, *ids: str) -> pa.Table:
    """Return rows with keys whose last character is the partition."""
    return pa.table({"id": ids, "place": [name[-1] for name in ids], "ts": pa.array([ts] * len(ids), pa.int64())})


def read(frame: DataFrame) -> list[tuple[str, int]]:
    return sorted((row.id, row.ts) for row in frame.collect())


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Create a table with three partitions, one of which has a superseded file."""
    write_arrow(rows(1, "a1", "b1", "a2", "a3"), tmp_path / "t", OPTIONS)
    write_arrow(rows(2, "b1"), tmp_path / "t", OPTIONS)
    return tmp_path / "t"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Treat any number of files as many; record how frames are created: before the plan, after it, or by listing."""
    monkeypatch.setattr(scan, "MOST_PATHS", 0)
    made: list[str] = []
    told, listed = Scan.with_manifest, Scan.with_listing

    @contextmanager
    def counted(*arguments: Any) -> Iterator[Callable[[], DataFrame]]:
        with told(*arguments) as asked:

            def ask() -> DataFrame:
                made.append("here" if threading.current_thread() is threading.main_thread() else "ahead")
                return asked()

            yield ask

    def listing(*arguments: Any) -> Any:
        made.append("listed")
        return listed(*arguments)

    monkeypatch.setattr(Scan, "with_manifest", counted)
    monkeypatch.setattr(Scan, "with_listing", listing)
    return made


NOW = [("a1", 1), ("a2", 1), ("a3", 1), ("b1", 2)]


@pytest.mark.each_value
@pytest.mark.parametrize("hive_style", [True, False])
@pytest.mark.parametrize("options", [{}, {"meta_columns": False}, {"columns": "ts,id"}, {"columns": "place,id,ts"}])
def test_the_files_of_a_snapshot_are_passed_once(
    options: dict[str, Any], hive_style: bool, spark: SparkSession, tmp_path: Path, made: list[str]
) -> None:
    for written in (rows(1, "a1", "b1", "a2", "a3"), rows(2, "b1")):
        write_arrow(written, tmp_path, OPTIONS | {"hive_style": hive_style})
    frame = hoodoo.read(spark, tmp_path, **options)
    assert made == ["ahead"]
    assert frame.columns == hoodoo.read(spark, tmp_path, **options, as_of="2100-01-01").columns
    assert read(frame) == NOW


def test_few_files_are_looked_up(table: Path, spark: SparkSession, made: list[str], monkeypatch: Any) -> None:
    monkeypatch.setattr(scan, "MOST_PATHS", 3)
    assert read(hoodoo.read(spark, table)) == NOW
    assert made == []


def test_other_queries_are_not_foreseen(table: Path, spark: SparkSession, made: list[str]) -> None:
    first = hoodoo.Table(table).timeline.commits[0].time
    assert read(hoodoo.read(spark, table, as_of=first)) == [(name, 1) for name, _ in NOW]
    assert read(hoodoo.read(spark, table, query_type="read_optimized")) == NOW
    assert read(hoodoo.read(spark, table, query_type="incremental", begin=first)) == [("b1", 2)]
    assert made == ["here"] * 3


def test_replaced_groups_are_not_shown(table: Path, spark: SparkSession, made: list[str]) -> None:
    write_arrow(rows(3, "c2"), table, OPTIONS | {"operation": "insert_overwrite"})
    assert read(hoodoo.read(spark, table)) == [("a1", 1), ("a3", 1), ("b1", 2), ("c2", 3)]
    assert made == ["ahead"]


def test_files_are_passed_again_if_the_plan_differs(
    table: Path, spark: SparkSession, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "latest_by_name", lambda *arguments: frozenset(sorted(latest_by_name(*arguments))[1:]))
    assert read(hoodoo.read(spark, table)) == NOW
    assert made == ["ahead", "here"]


def test_files_of_a_failed_attempt_are_not_visible(table: Path, spark: SparkSession, made: list[str]) -> None:
    leave_an_attempt(table)
    assert read(hoodoo.read(spark, table)) == NOW
    # names do not show which of two attempts is valid: the first prefetched one may or may not be the right one
    assert made in (["ahead"], ["ahead", "here"])


def test_files_of_a_commit_that_did_not_end_are_not_shown(table: Path, spark: SparkSession, made: list[str]) -> None:
    [file] = (table / "place=2").glob("*.parquet")
    group, token, _ = file.name.split("_")
    shutil.copy(file, file.with_name(f"{group}_{token}_20990101000000000.parquet"))
    assert read(hoodoo.read(spark, table)) == NOW
    assert made == ["ahead"]


@pytest.mark.nightly
@pytest.mark.parametrize("hive_style", [True, False])
@pytest.mark.parametrize("least", [1, divided.LEAST_BYTES])
def test_logs_are_not_passed_over(
    least: int,
    hive_style: bool,
    tmp_path: Path,
    spark: SparkSession,
    made: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(divided, "LEAST_BYTES", least)
    options = OPTIONS | {"table_type": "MERGE_ON_READ", "hive_style": hive_style}
    write_arrow(rows(1, "a1", "b1", "a2"), tmp_path, options)
    write_arrow(rows(2, "b1"), tmp_path, options)
    assert not latest_by_name(CachedListingStorage(LocalStorage(str(tmp_path))).files, hoodoo.Table(tmp_path).timeline)
    assert read(hoodoo.read(spark, tmp_path)) == [("a1", 1), ("a2", 1), ("b1", 2)]
    # the base file of a slice with logs is prefetched too if the slice is divided
    assert made == ["here"] * (2 if least == 1 else 1)


@pytest.mark.parametrize("come", ["commit", "attempt"])
def test_what_comes_in_between_is_not_shown(
    come: str, table: Path, spark: SparkSession, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Scan.with_manifest

    def slow(*arguments: Any) -> Any:
        if come == "commit":
            write_arrow(rows(3, "c2", "b1"), table, OPTIONS)
        else:
            leave_an_attempt(table)
        return told(*arguments)

    monkeypatch.setattr(Scan, "with_manifest", slow)
    assert read(hoodoo.read(spark, table)) == NOW
    assert made == ["ahead"]


def leave_an_attempt(table: Path) -> None:
    """Copy the last file of partition 1 under another write token, as a failed attempt of a task leaves a file."""
    file = max((table / "place=1").glob("*.parquet"), key=lambda file: file.name.rpartition("_")[2])
    group, _, commit = file.name.split("_")
    shutil.copy(file, file.with_name(f"{group}_9-9-9_{commit}"))


@pytest.mark.parametrize("root", ["env=prod/t", "place=9/t", "=/t"])
def test_columns_are_not_taken_from_folders_above_the_table(
    root: str, table: Path, spark: SparkSession, made: list[str], tmp_path: Path
) -> None:
    moved = shutil.copytree(table, tmp_path / root)
    frame = hoodoo.read(spark, moved)
    assert frame.columns == hoodoo.read(spark, table).columns
    assert read(frame) == read(frame.select("*", "_metadata.file_path")) == NOW
    assert made == ["listed", "ahead"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.sql.streaming.fileStreamSink.ignoreMetadata", "true"),
        ("spark.sql.streaming.fileSink.log.compactInterval", "1"),
    ],
)
def test_spark_lists_files_if_it_would_not_accept_the_passed_ones(
    key: str, value: str, table: Path, spark: SparkSession, made: list[str]
) -> None:
    with setting(spark, key, value):
        assert read(hoodoo.read(spark, table)) == NOW
        write_arrow(rows(3, "c2"), table, OPTIONS)
        assert read(hoodoo.read(spark, table)) == sorted([*NOW, ("c2", 3)])
    assert made == ["listed"] * 2


def test_what_comes_while_spark_lists_is_not_shown(
    table: Path, spark: SparkSession, made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = shutil.copytree(table, tmp_path / "env=prod" / "t")
    pattern, patterns = Folders.pattern, []

    def slow(*arguments: Any) -> str | None:
        patterns.append(pattern(*arguments))
        if len(patterns) == 1:
            leave_an_attempt(moved)
        return patterns[-1]

    monkeypatch.setattr(Folders, "pattern", slow)
    assert read(hoodoo.read(spark, moved)) == NOW
    assert len(patterns) == 2
    assert patterns[0] != patterns[1]


@pytest.mark.parametrize("hive_style", [True, False])
def test_passed_files_are_those_that_spark_would_list(
    hive_style: bool, spark: SparkSession, made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / f"a b%20c+{{\u00e9}},#?[x]*\u00a0&{'' if hive_style else '='}" / "t"
    write_arrow(rows(1, "a1", "c ", "d\u00e9", "e+"), table, OPTIONS | {"hive_style": hive_style})

    def seen() -> list[Any]:
        frame = hoodoo.read(spark, table)
        return sorted(map(tuple, frame.select("*", "_metadata", F.input_file_name()).collect()))

    told = seen()
    assert made == ["ahead"]
    monkeypatch.setattr(scan, "MOST_PATHS", 32)
    assert told == seen()
    assert len(told) == 4
    assert made == ["ahead"]


def test_errors_are_those_of_the_plan(table: Path, spark: SparkSession, made: list[str]) -> None:
    [file] = (table / "place=2").glob("*.parquet")
    file.unlink()
    with pytest.raises(CorruptTableError, match=f"base file 'place=2/{file.name}' of commit .* is gone"):
        hoodoo.read(spark, table)
    for commit in (table / ".hoodie").glob("*.commit"):
        commit.write_text("{")
    with pytest.raises(CorruptTableError):
        hoodoo.read(spark, table)
    assert made == ["ahead"]


def test_threads_of_the_jvm_do_not_pile_up(table: Path, spark: SparkSession, made: list[str]) -> None:
    def threads() -> int:
        names = [thread.getName() for thread in spark._jvm.java.lang.Thread.getAllStackTraces().keySet()]
        # these threads clean up after other tests, up to a limit, whenever garbage is collected
        return sum(not name.startswith("block-manager-") for name in names)

    hoodoo.read(spark, table)
    before = threads()
    for _ in range(20):
        hoodoo.read(spark, table)
    assert threads() < before + 10
    assert len(made) == 21
