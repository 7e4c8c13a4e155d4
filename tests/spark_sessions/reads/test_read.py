"""`hoodoo.read` by Spark's own reader: the base files that it gets, with or without logs, and those that it skips."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.errors import CorruptTableError
from hoodoo.spark.pyspark_version import ARROW_FUNCTIONS
from hoodoo.spark.workers import divided_slices as divided
from hoodoo.testing.engine import write_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

OPTIONS = {"table_name": "t", "record_key": "id", "ordering": "ts"}
SCHEMA = pa.schema([("id", pa.string()), ("place", pa.string()), ("ts", pa.int64()), ("v", pa.float64())])
MANY = 40  # more files than Spark receives by path


def rows(*values: tuple[Any, ...], schema: pa.Schema = SCHEMA) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(schema.names, value, strict=True)) for value in values], schema=schema)


def same_as_arrow(frame: DataFrame, path: Path, **query: Any) -> None:
    """Check that a frame has the rows of `Table.to_arrow`."""
    wanted = hoodoo.Table(path).to_arrow(**query)
    read = frame.toArrow()
    assert read.column_names == wanted.column_names
    assert Counter(map(repr, read.to_pylist())) == Counter(map(repr, wanted.to_pylist()))


def explained(frame: DataFrame, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    frame.explain("formatted")
    return capsys.readouterr().out


def spoil(folder: Path) -> None:
    """Make the base files of a folder unreadable."""
    for file in folder.glob("*.parquet"):
        file.write_bytes(b"\0" * file.stat().st_size)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Create a table of 40 file groups in one folder, half of which have a superseded file, too."""
    options = OPTIONS | {"index": "bucket", "buckets": MANY}
    first = rows(*((f"k{n}", "x", 1, n / 2) for n in range(400)))
    write_arrow(first, tmp_path, options | {"operation": "bulk_insert"})
    assert len(hoodoo.Table(tmp_path).file_slices()) == MANY
    # keys of some files only
    keys = pq.read_table(sorted(tmp_path.glob("*.parquet"))[: MANY // 2], columns=["id"])["id"].to_pylist()
    write_arrow(rows(*((key, "x", 2, -1.0) for key in keys)), tmp_path, options)
    assert len(list(tmp_path.glob("*.parquet"))) == MANY + MANY // 2
    return tmp_path


def test_columns_and_filters_reach_the_scan(spark: SparkSession, tmp_path: Path, capsys: Any) -> None:
    write_arrow(rows(("a", "x", 1, 1.5), ("b", "x", 2, 2.5)), tmp_path, OPTIONS)
    frame = hoodoo.read(spark, tmp_path).where("ts > 1").select("v")
    text = explained(frame, capsys)
    assert "PushedFilters: [IsNotNull(ts), GreaterThan(ts,1)]" in text
    assert "ReadSchema: struct<ts:bigint,v:double>" in text
    assert [row.v for row in frame.collect()] == [2.5]


def test_filters_reach_the_scan_of_a_table_with_logs(spark: SparkSession, tmp_path: Path, capsys: Any) -> None:
    options = OPTIONS | {"partition_by": "place", "table_type": "MERGE_ON_READ"}
    write_arrow(rows(("a", "x", 1, 1.5), ("b", "y", 2, 2.5), ("c", "y", 1, 3.5)), tmp_path, options)
    write_arrow(rows(("a", "x", 3, 9.5)), tmp_path, options)
    frame = hoodoo.read(spark, tmp_path).where("ts > 1").select("v")
    text = explained(frame, capsys)
    assert "GreaterThan(ts,1)" in text
    assert "ReadSchema: struct<ts:bigint,v:double>" in text
    assert sorted(row.v for row in frame.collect()) == [2.5, 9.5]
    same_as_arrow(hoodoo.read(spark, tmp_path), tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("hive_style", [True, False])
def test_spark_reads_the_unchanged_rows_of_large_slices_with_logs(
    hive_style: bool, spark: SparkSession, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(divided, "LEAST_BYTES", 1)
    options = OPTIONS | {"partition_by": "place", "table_type": "MERGE_ON_READ"}
    if hive_style:
        options["hoodie.datasource.write.hive_style_partitioning"] = "true"
    stored = [(f"{place}{n}", place, 5, float(n)) for place in "xyz" for n in range(200)]
    write_arrow(rows(*stored, ("null", None, 5, 0.5)), tmp_path, options)
    late = [(f"{place}{n}", place, 4, -1.0) for place in "xy" for n in (1, 2)]
    newer = [(f"{place}{n}", place, 6, 9.5) for place in "xy" for n in (0, 63, 64, 199)]
    write_arrow(rows(*late, *newer, ("null", None, 6, 1.5)), tmp_path, options)
    same_as_arrow(hoodoo.read(spark, tmp_path), tmp_path)
    frame = hoodoo.read(spark, tmp_path).where("v > 1 and place in ('x', 'y')").select("v")
    text = explained(frame, capsys)
    assert re.search("ArrowEvalPython|MapInArrow", text)
    assert "GreaterThan(v,1.0)" in text
    assert "_hoodie_commit_time" not in "".join(re.findall("ReadSchema.*", text))
    assert Counter(row.v for row in frame.collect())[9.5] == 8
    # slices are divided once for both parts; those of the partition without a value are a group of their own
    # without Arrow functions each partition is a group
    assert explained(frame, capsys).count("ReusedExchange (") == (2 if ARROW_FUNCTIONS.is_available() else 3)
    # nothing is opened in a partition that a filter leaves out
    for file in next(tmp_path.glob("*y")).iterdir():
        if ".log." in file.name or file.suffix == ".parquet":
            file.write_bytes(b"\0" * file.stat().st_size)
    for condition in ("place = 'x'", "place < 'y'", "length(place) = 1 and place not in ('y', 'z')"):
        assert hoodoo.read(spark, tmp_path).where(condition).count() == 200
    with pytest.raises(Exception, match="CorruptTableError"):
        hoodoo.read(spark, tmp_path).count()


@pytest.mark.nightly
def test_files_with_equal_keys_are_read_by_workers(
    tmp_path: Path, spark: SparkSession, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(divided, "LEAST_BYTES", 1)
    options = OPTIONS | {"partition_by": "place", "table_type": "MERGE_ON_READ"}
    write_arrow(rows(("a", "x", 1, 1.5), ("b", "y", 2, 2.5), ("c", "y", 1, 3.5)), tmp_path, options)
    write_arrow(rows(("a", "x", 3, 9.5), ("b", "y", 3, 0.5)), tmp_path, options)
    assert "Scan parquet" in explained(hoodoo.read(spark, tmp_path), capsys)
    monkeypatch.setattr(divided, "file_key", lambda path: 7)
    frame = hoodoo.read(spark, tmp_path)
    assert "Scan parquet" not in explained(frame, capsys)
    same_as_arrow(frame, tmp_path)


@pytest.mark.nightly
def test_many_large_slices_with_logs(tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(divided, "LEAST_BYTES", 1)
    path = tmp_path
    options = OPTIONS | {"index": "bucket", "buckets": MANY, "table_type": "MERGE_ON_READ"}
    write_arrow(rows(*((f"k{n}", "x", 1, n / 2) for n in range(400))), path, options | {"operation": "bulk_insert"})
    write_arrow(rows(*((f"k{n}", "x", 2, -1.0) for n in range(0, 400, 3))), path, options)
    same_as_arrow(hoodoo.read(spark, path), path)


def test_many_files_are_passed_by_folder_and_name(many: Path, spark: SparkSession) -> None:
    frame = hoodoo.read(spark, many)
    same_as_arrow(frame, many)
    assert frame.where("v = -1.0").count() == frame.where("ts = 2").count() > 0
    first = hoodoo.Table(many).timeline.commits[0].time
    same_as_arrow(hoodoo.read(spark, many, as_of=first), many, as_of=first)
    query = {"query_type": "incremental", "begin": first}
    same_as_arrow(hoodoo.read(spark, many, **query), many, **query)
    # superseded files are not opened
    current = {Path(s.path or "").name for s in hoodoo.Table(many).file_slices()}
    for file in many.glob("*.parquet"):
        if file.name not in current:
            file.write_bytes(b"\0" * 1000)
    assert hoodoo.read(spark, many).agg({"v": "sum"}).collect() == frame.agg({"v": "sum"}).collect()


def test_many_files_leave_the_settings_of_the_session_alone(many: Path, spark: SparkSession) -> None:
    key = "spark.sql.sources.parallelPartitionDiscovery.threshold"
    before = spark.conf.get(key)
    hoodoo.read(spark, many)
    assert spark.conf.get(key) == before
    spark.conf.set(key, "7")
    try:
        hoodoo.read(spark, many)
        assert spark.conf.get(key) == "7"
    finally:
        spark.conf.unset(key)


@pytest.mark.parametrize("count", ["few", "many"])
def test_a_missing_file_is_noticed(count: str, many: Path, spark: SparkSession, tmp_path: Path) -> None:
    spark.conf.set("spark.sql.files.ignoreMissingFiles", "true")
    try:
        table = hoodoo.Table(many)
        query = {"query_type": "incremental", "begin": table.timeline.commits[0].time} if count == "few" else {}
        frame = hoodoo.read(spark, many, **query)
        (many / (table.splits(**query)[0].path or "")).unlink()
        with pytest.raises(Exception, match=r"FILE_NOT_EXIST|does not exist"):
            frame.toArrow()
        with pytest.raises(CorruptTableError, match="is gone"):
            hoodoo.read(spark, many)
    finally:
        spark.conf.unset("spark.sql.files.ignoreMissingFiles")


def test_a_file_without_a_byte_is_missed(spark: SparkSession, tmp_path: Path) -> None:
    write_arrow(rows(("a", "x", 1, 1.5)), tmp_path, OPTIONS)
    [file] = tmp_path.glob("*.parquet")
    file.write_bytes(b"")
    with pytest.raises(Exception, match=f"CorruptTableError: .*{file.name}"):
        hoodoo.read(spark, tmp_path).collect()


def test_a_bit_that_flipped_is_noticed(spark: SparkSession, tmp_path: Path) -> None:
    write_arrow(rows(*((f"key-{n}", "x", n, n / 2) for n in range(1000))), tmp_path, OPTIONS)
    [path] = tmp_path.glob("*.parquet")
    rewritten = pq.read_table(path)
    pq.write_table(
        rewritten, path, compression="none", use_dictionary=False, write_page_checksum=True, store_schema=False
    )
    body = bytearray(path.read_bytes())
    body[body.index(b"key-500")] ^= 1
    path.write_bytes(body)
    with pytest.raises(Exception, match=r"FAILED_READ_FILE|checksum"):
        hoodoo.read(spark, tmp_path).toArrow()


@pytest.mark.parametrize("files", ["few", "many"])
def test_a_filter_on_a_partition_column_reads_its_folders_only(files: str, spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.string()), ("place", pa.string()), ("number", pa.int32()), ("ts", pa.int64())])
    places = [f"p{n}" for n in range(3 if files == "few" else MANY)]
    values = [(f"{place}-{n}", place, number, n) for place in places for number in (7, 8) for n in range(3)]
    options = OPTIONS | {"partition_by": "place,number", "hive_style": True}
    write_arrow(rows(*values, schema=schema), tmp_path, options)
    same_as_arrow(hoodoo.read(spark, tmp_path), tmp_path)
    for folder in tmp_path.glob("place=*"):
        spoil(folder / "number=8")
        if folder.name != "place=p1":
            spoil(folder / "number=7")
    frame = hoodoo.read(spark, tmp_path).where("place = 'p1' and number in (7, 9)")
    assert sorted(row.id for row in frame.collect()) == ["p1-0", "p1-1", "p1-2"]
    assert frame.schema["number"].dataType.simpleString() == "int"
    with pytest.raises(Exception, match=r"FAILED_READ_FILE|is not a Parquet file"):
        hoodoo.read(spark, tmp_path).where("ts = 1").count()


@pytest.mark.each_value
@pytest.mark.parametrize("hive_style", [True, False])
@pytest.mark.parametrize("url_encode", [True, False])
def test_partition_values_of_every_spelling(
    hive_style: bool, url_encode: bool, spark: SparkSession, tmp_path: Path
) -> None:
    places = [
        None,
        "",
        "default",
        "a b",
        "{x,y}",
        "*",
        "[a]",
        "a?b",
        "_hidden",
        ".dot",
        "é",
        "x=y",
        "a%20b",
        "007",
        "a,b",
    ]
    values = [(f"id{n}", place, n, n / 2) for n, place in enumerate(places)]
    path = tmp_path / "with {a,b} and %20 and [c]"
    options = OPTIONS | {"partition_by": "place", "hive_style": hive_style, "url_encode": url_encode}
    write_arrow(rows(*values), path, options)
    frame = hoodoo.read(spark, path)
    same_as_arrow(frame, path)
    assert sorted((row.place or "", row.ts) for row in frame.collect()) == sorted(
        (p or "", n) for n, p in enumerate(places)
    )
    for number, place in enumerate(places):
        found = frame.where(frame.place.eqNullSafe(place)).collect()
        assert [row.ts for row in found] == [number], place


def test_partition_values_keep_the_type_of_the_table(spark: SparkSession, tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.string()), ("day", pa.date32()), ("number", pa.int64()), ("ts", pa.int64())])
    values = [("a", date(2024, 2, 29), 2**40, 1), ("b", None, None, 2), ("c", date(1969, 1, 1), -5, 3)]
    options = OPTIONS | {"partition_by": "day,number", "hive_style": True}
    write_arrow(rows(*values, schema=schema), tmp_path, options)
    frame = hoodoo.read(spark, tmp_path)
    assert [field.dataType.simpleString() for field in frame.schema][-4:] == ["string", "date", "bigint", "bigint"]
    same_as_arrow(frame, tmp_path)
    assert [row.id for row in frame.where("day is null").collect()] == ["b"]
    assert [row.id for row in frame.where("day < date'2000-01-01' and number < 0").collect()] == ["c"]


def test_partition_values_that_are_not_column_values_are_not_used(spark: SparkSession, tmp_path: Path) -> None:
    """The name of a folder is the day, but the column has a time."""
    options = OPTIONS | {
        "partition_by": "ts",
        "hive_style": True,
        "keygen": "timestamp",
        "keygen_options": {"timestamp_type": "EPOCHMILLISECONDS", "output_format": "yyyy-MM-dd"},
    }
    write_arrow(rows(("a", "x", 1_700_000_000_000, 1.5), ("b", "x", 1_600_000_000_000, 2.5)), tmp_path, options)
    assert {folder.name for folder in tmp_path.glob("ts=*")} == {"ts=2023-11-14", "ts=2020-09-13"}
    same_as_arrow(hoodoo.read(spark, tmp_path), tmp_path)


def test_options(spark: SparkSession, tmp_path: Path) -> None:
    first = write_arrow(rows(("a", "x", 1, 1.5), ("b", "y", 1, 2.5)), tmp_path, OPTIONS | {"partition_by": "place"})
    write_arrow(rows(("a", "x", 2, 3.5)), tmp_path, OPTIONS)
    frame = hoodoo.read(spark, tmp_path, columns=["v", "id"], as_of=first.instant)
    assert frame.columns == ["v", "id"]
    assert sorted(map(tuple, frame.collect())) == [(1.5, "a"), (2.5, "b")]
    assert hoodoo.read(spark, tmp_path, meta_columns=False).columns == SCHEMA.names
    changed = hoodoo.read(
        spark, tmp_path, query_type="incremental", begin=first.instant, columns=["id"], meta_columns=False
    )
    assert [tuple(row) for row in changed.collect()] == [("a",)]
    assert re.fullmatch(r"\d{17}", first.instant or "")
