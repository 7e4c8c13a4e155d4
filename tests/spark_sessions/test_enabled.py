"""Lines of jobs for Hudi, unchanged, in a session for which `hoodoo.enable` was called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, DataFrameWriter, SparkSession
from pyspark.sql.utils import AnalysisException

import hoodoo
from hoodoo.errors import NotATable, OptionError, SchemaError, TableExists, UnknownOption

try:
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame
except ModuleNotFoundError:  # before 4.0 there is one class
    ClassicDataFrame = DataFrame

PAGE = Path(__file__).parents[2] / "docs" / "spark-jobs.md"
SCHEMA = "uuid string, ts long, city string, fare double"
HUDI = {
    "hoodie.table.name": "trips",
    "hoodie.datasource.write.recordkey.field": "uuid",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.datasource.write.partitionpath.field": "city",
    "hoodie.datasource.write.operation": "upsert",
    "hoodie.upsert.shuffle.parallelism": 2,
}
PROPERTIES = [(ClassicDataFrame, "write"), (ClassicDataFrame, "writeStream"), (SparkSession, "read")]
PLAIN = [vars(owner)[name] for owner, name in PROPERTIES]


@pytest.fixture
def enabled(spark: SparkSession) -> Iterator[SparkSession]:
    hoodoo.enable(spark)
    yield spark
    hoodoo.disable(spark)


def settings(spark: SparkSession) -> dict[str, str]:
    """Return the settings of hoodoo in a session."""
    return {row.key: row.value for row in spark.sql("set").collect() if "hoodoo" in row.key}


def not_found() -> AbstractContextManager[Any]:
    """Return a context that expects the error of Spark itself, which has no format `hudi`."""
    return pytest.raises((AnalysisException, Py4JJavaError), match="DATA_SOURCE_NOT_FOUND")


def trips(spark: SparkSession, *rows: tuple[Any, ...]) -> DataFrame:
    return spark.createDataFrame(rows, SCHEMA)


def fares(df: DataFrame) -> dict[str, float]:
    rows = df.select("uuid", "fare").collect()
    found = {row.uuid: row.fare for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.mark.filterwarnings("ignore:(this option has|these options have) no effect")
def test_the_lines_of_a_job_for_hudi_run_on_hoodoo(enabled: SparkSession, tmp_path: Any) -> None:
    path = str(tmp_path / "trips")
    first = trips(enabled, ("a", 1, "oslo", 10.0), ("b", 1, "rome", 20.0))
    second = trips(enabled, ("a", 2, "oslo", 11.0), ("b", 0, "rome", 99.0), ("c", 1, "rome", 30.0))
    first.write.format("hudi").options(**HUDI).mode("overwrite").save(path)
    second.write.format("org.apache.hudi").options(**HUDI).mode("append").save(path)
    expected = {"a": 11.0, "b": 20.0, "c": 30.0}
    assert fares(enabled.read.format("hudi").load(path)) == expected
    assert fares(enabled.read.format("hudi").load(path + "/*")) == expected
    assert fares(enabled.read.format("hoodoo").option("path", path).load()) == expected
    assert fares(enabled.read.load(path, format="HUDI")) == expected

    (begun, then) = (commit.instant for commit in reversed(hoodoo.Table(path).history()))
    read = enabled.read.format("hudi")
    assert fares(read.option("as.of.instant", begun).load(path)) == {"a": 10.0, "b": 20.0}
    changed = {
        "hoodie.datasource.query.type": "incremental",
        "hoodie.datasource.read.begin.instanttime": begun,
        "hoodie.datasource.read.end.instanttime": "20991231000000000",
    }
    assert fares(enabled.read.format("hudi").options(**changed).load(path)) == {"a": 11.0, "c": 30.0}
    optimized = enabled.read.format("hudi").option("hoodie.datasource.query.type", "read_optimized")
    assert fares(optimized.load(path)) == expected
    assert then > begun
    hoodoo.disable(enabled)
    with not_found():
        enabled.read.format("hudi").load(path)


def test_modes_are_those_of_spark(enabled: SparkSession, tmp_path: Any) -> None:
    """The modes, in upper or lower case, are those of Spark; without a mode, a table that exists is an error."""
    path = str(tmp_path / "trips")
    short = {"table_name": "t", "record_key": "uuid", "ordering": "ts"}
    old, new = (trips(enabled, (key, 1, "oslo", 1.0)) for key in "ab")
    old.write.partitionBy("city").format("hudi").options(**short).save(path)
    assert hoodoo.Table(path).properties["hoodie.table.partition.fields"] == "city"
    for mode in (None, "error", "ErrorIfExists", "default"):
        with pytest.raises(TableExists):
            new.write.save(path, format="hudi", mode=mode, **short)
    new.write.save(path=path, format="hudi", mode="IGNORE", **short)
    assert fares(hoodoo.read(enabled, path)) == {"a": 1.0}
    new.write.format("hudi").options(**short, path=path).mode("Append").save()
    assert fares(hoodoo.read(enabled, path)) == {"a": 1.0, "b": 1.0}
    old.write.save(path, "hudi", "overwrite", ["city"], **short)
    assert fares(hoodoo.read(enabled, path)) == {"a": 1.0}
    option = "hoodie.datasource.write.partitionpath.field"
    other = str(tmp_path / "other")
    # as in Hudi, the option takes precedence over partitionBy
    old.write.format("hudi").partitionBy("ts").option(option, "city").options(**short).save(other)
    assert hoodoo.Table(other).properties["hoodie.table.partition.fields"] == "city"


def test_other_formats_and_other_sessions_stay_sparks(enabled: SparkSession, tmp_path: Any) -> None:
    rows = trips(enabled, ("a", 1, "oslo", 1.0), ("b", 1, "rome", 2.0))
    files = str(tmp_path / "files")
    writer = rows.write.partitionBy("city").format("parquet").mode("append").option("compression", "gzip")
    assert isinstance(writer, DataFrameWriter)
    writer.save(files)
    assert sorted(path.name for path in (tmp_path / "files").iterdir() if path.is_dir()) == ["city=oslo", "city=rome"]
    assert fares(enabled.read.parquet(files)) == fares(enabled.read.load(files)) == {"a": 1.0, "b": 2.0}
    assert fares(enabled.read.format("hudi").format("parquet").schema("uuid string, fare double").load([files])) == {
        "a": 1.0,
        "b": 2.0,
    }
    rows.write.format("hudi").json(str(tmp_path / "json"))
    assert fares(enabled.read.json(str(tmp_path / "json"))) == {"a": 1.0, "b": 2.0}

    other = enabled.newSession()
    with not_found():
        other.read.format("hudi").load(files)
    with not_found():
        trips(other, ("a", 1, "oslo", 1.0)).write.format("hudi").save(str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()
    hoodoo.enable(other)
    hoodoo.disable(enabled)
    with pytest.raises(NotATable):
        other.read.format("hudi").load(files)
    with not_found():
        enabled.read.format("hudi").load(files)
    hoodoo.disable(other)
    assert [vars(owner)[name] for owner, name in PROPERTIES] == PLAIN


def test_a_default_format_is_hoodoos_too(enabled: SparkSession, tmp_path: Any) -> None:
    path = str(tmp_path / "trips")
    enabled.conf.set("spark.sql.sources.default", "hudi")
    try:
        trips(enabled, ("a", 1, "oslo", 1.0)).write.options(table_name="t", record_key="uuid").save(path)
        assert fares(enabled.read.load(path)) == {"a": 1.0}
    finally:
        enabled.conf.unset("spark.sql.sources.default")
    assert hoodoo.Table(path).properties["hoodie.table.name"] == "t"


def test_enable_is_idempotent_and_disable_restores_exactly(spark: SparkSession) -> None:
    before = settings(spark)
    hoodoo.disable(spark)
    for _ in range(2):
        hoodoo.enable(spark)
    assert all(vars(owner)[name] is not plain for (owner, name), plain in zip(PROPERTIES, PLAIN, strict=True))
    assert settings(spark) == before | {"spark.hoodoo.enabled": spark.conf.get("spark.hoodoo.enabled")}
    assert ClassicDataFrame.write.__doc__ == PLAIN[0].__doc__
    for _ in range(2):
        hoodoo.disable(spark)
        assert all(vars(owner)[name] is plain for (owner, name), plain in zip(PROPERTIES, PLAIN, strict=True))
    assert settings(spark) == before


def test_a_schema_selects_columns_and_a_wrong_type_is_refused(enabled: SparkSession, tmp_path: Any) -> None:
    path = str(tmp_path / "trips")
    hoodoo.write(trips(enabled, ("a", 1, "oslo", 1.0)), path, {"table_name": "t", "record_key": "uuid"})
    read = enabled.read.format("hudi").schema("fare double, uuid string").load(path)
    assert (read.columns, read.collect()) == (["fare", "uuid"], [(1.0, "a")])
    with pytest.raises(SchemaError, match=r"'ts' of .* is of type bigint, and the schema of the read has int"):
        enabled.read.format("hudi").load(path, schema="ts int")


def test_what_hoodoo_cannot_do_is_refused_before_anything_is_written(enabled: SparkSession, tmp_path: Any) -> None:
    path = str(tmp_path / "trips")
    rows = trips(enabled, ("a", 1, "oslo", 1.0))
    options = {"table_name": "t", "record_key": "uuid"}
    with pytest.raises(OptionError, match="catalog"):
        rows.write.format("hudi").options(**options).saveAsTable("trips")
    with pytest.raises(OptionError, match="'bucketBy' does not apply"):
        rows.write.format("hudi").options(**options).bucketBy(2, "uuid").save(path)
    with pytest.raises(UnknownOption, match=r"hoodie\.table\.naem"):
        rows.write.format("hudi").option("hoodie.table.naem", "t").save(path)
    with pytest.raises(OptionError, match="path of the table is missing"):
        rows.write.format("hudi").options(**options).save()
    assert not (tmp_path / "trips").exists()


def test_the_page_on_jobs(spark: SparkSession, tmp_path: Any) -> None:
    """Every Python block of docs/spark-jobs.md runs in turn; the last one has no new rows and commits nothing."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 5
    late = trips(spark, ("a", 2, "oslo", 12.0), ("b", 0, "rome", 99.0))
    late.write.json(str(tmp_path / "events"))
    names: dict[str, Any] = {
        "spark": spark,
        "path": str(tmp_path / "trips"),
        "df": trips(spark, ("a", 1, "oslo", 10.0), ("b", 1, "rome", 20.0)),
        "events": spark.readStream.schema(late.schema).json(str(tmp_path / "events")),
        "checkpoint": str(tmp_path / "checkpoint"),
        "files": str(tmp_path / "files"),
        "copy": str(tmp_path / "copy"),
    }
    names["df"].write.partitionBy("city").parquet(names["files"])
    try:
        for block in blocks:
            exec(block, names)
    finally:
        hoodoo.disable(spark)
    assert fares(names["trips"]) == fares(names["before"]) == {"a": 10.0, "b": 20.0}
    assert fares(hoodoo.read(spark, names["path"])) == {"a": 12.0, "b": 20.0}
    assert len(hoodoo.Table(names["path"]).history()) == 2
    assert fares(hoodoo.read(spark, names["copy"])) == {"a": 10.0, "b": 20.0}
