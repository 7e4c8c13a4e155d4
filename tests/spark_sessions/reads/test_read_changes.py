"""Changes in the format `cdc` as DataFrames: each way to read with Spark returns the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import OptionError
from hoodoo.spark.pyspark_version import DATA_SOURCES
from hoodoo.testing.engine import write_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

OPTIONS = {
    "table_name": "t",
    "record_key": "id",
    "ordering": "ts",
    # partitions by a column that has the name of a column of changes
    "partition_by": "op",
    "hive_style": True,
    "table_type": "MERGE_ON_READ",
}
BEGIN = "hoodie.datasource.read.begin.instanttime"
CDC = {"hoodie.datasource.query.type": "incremental", "hoodie.datasource.query.incremental.format": "cdc"}


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    for number in (1, 2):
        rows = {"id": ["a", "b"][:number], "op": ["x", "y"][:number], "ts": [number, 1][:number]}
        write_arrow(pa.table(rows), tmp_path, OPTIONS)
    file = tmp_path / ".hoodie" / "hoodie.properties"
    file.write_text(file.read_text() + "hoodie.table.cdc.enabled=true\n")
    return tmp_path


def changes(frame: DataFrame) -> list[list[Any]]:
    return sorted(([*row] for row in frame.collect()), key=repr)


@pytest.mark.nightly
def test_all_ways_to_read_return_the_changes(spark: SparkSession, recorded: Path) -> None:
    first, second = (commit.time for commit in hoodoo.Table(recorded).timeline.commits)
    expected = [
        ["i", first, None, '{"id":"a","op":"x","ts":1}'],
        ["i", second, None, '{"id":"b","op":"y","ts":1}'],
        ["u", second, '{"id":"a","op":"x","ts":1}', '{"id":"a","op":"x","ts":2}'],
    ]
    query = {"query_type": "incremental", "incremental_format": "cdc"}
    frame = hoodoo.read(spark, recorded, **query)
    assert frame.columns == ["op", "ts_ms", "before", "after"]
    assert changes(frame) == expected
    assert changes(hoodoo.read(spark, recorded, meta_columns=False, begin=first, **query)) == expected[1:]
    assert changes(frame.where("op = 'i' and get_json_object(after, '$.op') = 'y'")) == expected[1:2]
    assert changes(hoodoo.read(spark, recorded, columns=["after", "op"], **query)) == sorted(
        [[row[3], row[0]] for row in expected]
    )
    assert changes(hoodoo.read(spark, recorded, begin=second, **query)) == []
    if DATA_SOURCES.is_available():
        source = spark.read.format("hoodoo").options(**CDC, **{BEGIN: "0"})
        assert changes(source.load(str(recorded))) == expected
    hoodoo.enable(spark)
    try:
        enabled = spark.read.format("hudi").options(**CDC, **{BEGIN: "0"})
        assert changes(enabled.load(str(recorded))) == expected
    finally:
        hoodoo.disable(spark)


def test_a_table_that_records_no_changes_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    write_arrow(pa.table({"id": ["a"], "op": ["x"], "ts": [1]}), tmp_path, OPTIONS)
    with pytest.raises(OptionError, match="does not record changes"):
        hoodoo.read(spark, tmp_path, **CDC)
