"""Spark on tables that hoodoo does not write: rows in logs, damage, and files with other types than the table."""

from __future__ import annotations

import re
from datetime import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.spark.pyspark_version import WIDER_NUMBERS
from hoodoo.spark.workers import divided_slices as divided
from tests.rows_merged.handmade.columns import TYPES, Type
from tests.rows_merged.handmade.tables import COLUMNS, T, Table
from tests.support.by_format import by_format
from tests.support.rows import assert_same, rows_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(params=["merged by workers", "divided"])
def _divide(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test twice: Python workers merge the slices with logs, or all slices are divided, as large ones are."""
    if request.param == "divided":
        monkeypatch.setattr(divided, "LEAST_BYTES", 1)


KEYGEN = {"hoodie.table.keygenerator.type": "SIMPLE"}
OTHER = "1f9e8d7c-6b5a-4433-8211-00ffeeddccbb-0"
WIDE_DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 3}


def ids(frame: DataFrame) -> list[str]:
    return sorted(row.id for row in frame.select("id").collect())


def both(spark: SparkSession, path: Path, **options: Any) -> list[DataFrame]:
    """Return the DataFrames of `hoodoo.read` and, if PySpark has Python data sources, of the format `hoodoo`."""
    return [hoodoo.read(spark, path, **options), *by_format(spark, path, **options)]


@pytest.mark.each_value
@pytest.mark.usefixtures("_divide")
@pytest.mark.parametrize("version", [6, 9])
def test_filters_follow_the_merge(version: int, spark: SparkSession, tmp_path: Path) -> None:
    table = Table(tmp_path, version)
    table.write_base(1, ("falls", 1, "yes"), ("rises", 1, "no"), ("stays", 1, "yes"))
    table.write_log(2, ("falls", 2, "no"), ("rises", 2, "yes"), ("new", 2, "yes"))
    for frame in both(spark, tmp_path):
        assert ids(frame.where("v = 'yes'")) == ["new", "rises", "stays"]
        assert ids(frame.where("ts = 1")) == ["stays"]
        assert sorted(map(tuple, frame.where("v = 'no'").select("ts", "id").collect())) == [(2, "falls")]
    for frame in both(spark, tmp_path, query_type="read_optimized"):
        assert ids(frame.where("v = 'yes'")) == ["falls", "stays"]
    for frame in both(spark, tmp_path, query_type="incremental", begin=T(1) if version == 6 else f"{T(1)[:-3]}700"):
        assert ids(frame) == ["falls", "new", "rises"]


@pytest.mark.each_value
@pytest.mark.usefixtures("_divide")
@pytest.mark.parametrize("hive_style", [True, False])
def test_a_filter_on_a_partition_column_reads_no_logs_of_others(
    hive_style: bool, spark: SparkSession, tmp_path: Path
) -> None:
    columns = {**COLUMNS, "place": TYPES["string"]}
    table = Table(tmp_path, 9, columns, partition_by="place", hive_style=hive_style, properties=KEYGEN)
    x, y = ("place=x", "place=y") if hive_style else ("x", "y")
    table.write_base(1, ("a", 1, "v", "x"), partition=x)
    table.write_base(2, ("b", 1, "v", "y"), partition=y, file_id=OTHER)
    table.write_log(3, ("a", 2, "new", "x"), partition=x)
    broken = table.write_log(4, ("b", 2, "new", "y"), partition=y, file_id=OTHER)
    assert ids(hoodoo.read(spark, tmp_path)) == ["a", "b"]
    body = bytearray((tmp_path / broken.path).read_bytes())
    body[8] ^= 0xFF
    (tmp_path / broken.path).write_bytes(body)
    frame = hoodoo.read(spark, tmp_path)
    assert [tuple(row) for row in frame.where("place = 'x'").select("id", "v", "place").collect()] == [
        ("a", "new", "x")
    ]
    assert hoodoo.read(spark, tmp_path, columns=["place"]).where("place in ('x', 'z')").count() == 1


@pytest.mark.usefixtures("_divide")
def test_damage_is_reported_with_file_and_offset(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(tmp_path, 6)
    table.write_base(1, ("a", 1, "v"))
    log = table.write_log(2, ("a", 2, "new"))
    body = bytearray((tmp_path / log.path).read_bytes())
    body[8] ^= 0xFF
    (tmp_path / log.path).write_bytes(body)
    with pytest.raises(hoodoo.errors.CorruptTableError) as found:
        hoodoo.Table(tmp_path).to_arrow()
    for frame in both(spark, tmp_path):
        with pytest.raises(Exception, match="CorruptTableError") as told:
            frame.collect()
        assert str(found.value) in str(told.value)
        assert found.value.file in str(told.value)


# Spark's Parquet reader returns wider numbers since 4.0
WIDER = WIDER_NUMBERS.is_available()
EVOLUTIONS = {
    "int to long": (TYPES["int"], 7, TYPES["long"], WIDER),
    "int to double": (TYPES["int"], 7, TYPES["double"], WIDER),
    "float to double": (TYPES["float"], 0.1, TYPES["double"], WIDER),
    "string to bytes": (TYPES["string"], "text", TYPES["bytes"], True),
    "int to float": (TYPES["int"], 7, TYPES["float"], False),
    "long to double": (TYPES["long"], 7, TYPES["double"], False),
    "int to string": (TYPES["int"], 7, TYPES["string"], False),
    "wider decimal": (TYPES["decimal"], 1, Type(WIDE_DECIMAL, pa.decimal128(20, 3)), False),
}


@pytest.mark.representatives(archived=[False])
@pytest.mark.representatives(evolution=["int to long", "int to float"])
@pytest.mark.parametrize("evolution", EVOLUTIONS)
@pytest.mark.parametrize("archived", [False, True])
def test_files_of_older_types(
    evolution: str, archived: bool, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Spark reads the files that it reads correctly; workers read the others."""
    old, value, new, by_spark = EVOLUTIONS[evolution]
    table = Table(tmp_path, 6, {**COLUMNS, "w": old}, table_type="COPY_ON_WRITE")
    table.write_base(1, ("old", 1, "v", value))
    table.write_base(2, ("older", 1, "v", value), file_id="2" + OTHER)
    table.columns = {**COLUMNS, "w": new}
    table.write_base(3, ("new", 1, "v", None), file_id=OTHER)
    if archived:
        table.timeline.forget_until(T(2))
    frame = hoodoo.read(spark, tmp_path)
    wanted = rows_of(hoodoo.Table(tmp_path).to_arrow())
    assert len(wanted) == 3
    assert_same(rows_of(frame.toArrow()), wanted, "hoodoo.read")
    assert ids(frame.where("w is null")) == ["new"]
    stored = [row["w"] for row in hoodoo.Table(tmp_path).to_arrow(["id", "w"]).to_pylist() if row["id"] == "old"]
    assert ids(frame.where(frame.w == stored[0])) == ["old", "older"]
    capsys.readouterr()
    frame.explain()
    # `mapInArrow` replaces Arrow functions in an earlier PySpark
    plan = capsys.readouterr().out
    assert (re.search("ArrowEvalPython|MapInArrow", plan) is None) == by_spark
    assert ("hoodoo Python workers [2 file slices with column 'w' stored as" in plan) != by_spark


def test_a_column_that_differs_by_case_only_is_another_one(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(tmp_path, 6, {**COLUMNS, "W": TYPES["int"]}, table_type="COPY_ON_WRITE")
    table.write_base(1, ("old", 1, "v", 7))
    table.columns = {**COLUMNS, "w": TYPES["int"]}
    table.write_base(2, ("new", 1, "v", 8), file_id=OTHER)
    wanted = rows_of(hoodoo.Table(tmp_path).to_arrow())
    assert_same(rows_of(hoodoo.read(spark, tmp_path).toArrow()), wanted, "hoodoo.read")


@pytest.mark.each_value
@pytest.mark.usefixtures("_divide")
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_types_that_spark_lacks(table_type: str, spark: SparkSession, tmp_path: Path) -> None:
    columns = {
        **COLUMNS,
        "micros": Type({"type": "long", "logicalType": "time-micros"}, pa.time64("us")),
        "millis": Type({"type": "int", "logicalType": "time-millis"}, pa.time32("ms")),
        "raw": Type({"type": "fixed", "name": "four", "size": 4}, pa.binary(4)),
    }
    table = Table(tmp_path, 6, columns, table_type=table_type)
    table.write_base(1, ("a", 1, "v", time(1, 2, 3, 4), time(1, 2, 3, 4000), b"abcd"), ("b", 1, "v", None, None, None))
    if table_type == "MERGE_ON_READ":
        table.write_log(2, ("b", 2, "new", 5, 6, b"efgh"))
    later = ("b", 5, 6, b"efgh") if table_type == "MERGE_ON_READ" else ("b", None, None, None)
    for frame in both(spark, tmp_path):
        kinds = [field.dataType.simpleString() for field in frame.select("micros", "millis", "raw").schema]
        assert kinds == ["bigint", "int", "binary"]
        found = sorted(tuple(row) for row in frame.select("id", "micros", "millis", "raw").collect())
        assert found == [("a", 3_723_000_004, 3_723_004, b"abcd"), later]
