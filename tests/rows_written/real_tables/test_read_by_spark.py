"""Every real table, read by `hoodoo.read` and as a data source, compared with another reader and with Arrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.spark.scan import parquet_scan as scan
from hoodoo.spark.workers import divided_slices as divided
from tests.support.rows import assert_same, rows_of
from tests.support.versions import META

from .test_read_real_tables import EMPTY, TABLES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

REPRESENTATIVES = (
    "quickstart_trips_table_mor_avro__v8_trips_8i3u1d",
    "sample_table_cow__v6_simplekeygen_hivestyle_no_metafields",
    "sample_table_cow__v9_timebasedkeygen_epochmillis",
    "sample_table_mor_avro__v9_txns_complex_meta",
    "sample_table_mor_parquet__v6_complexkeygen_hivestyle",
)
"""Tables of each version, type and log format; without Spark all tables are read by default."""

Unpack = Callable[[str], Path]
Rows = Callable[[str], pa.Table]
Load = Callable[..., "DataFrame"]


@pytest.fixture(params=["hoodoo.read", pytest.param("format", marks=pytest.mark.needs_pyspark("4.0"))])
def load(request: pytest.FixtureRequest, spark: SparkSession) -> Load:
    """Return a function that reads a table with options, by `hoodoo.read` or by the data source `hoodoo`."""

    def by_function(path: Path, **options: Any) -> DataFrame:
        return hoodoo.read(spark, path, **options)

    def by_format(path: Path, **options: Any) -> DataFrame:
        return spark.read.format("hoodoo").options(**options).load(str(path))

    return by_function if request.param == "hoodoo.read" else by_format


GOLDEN = ("cow6-bloom-by-0.15.0", "mor6-parquet-by-0.15.0", "mor9-event-time")


def check(frame: DataFrame, shared_data: Path, name: str, kind: str) -> None:
    """Check that a frame has the expected rows of a table; skip the test if there are none for this kind of query."""
    file = shared_data / "expected" / f"{name}.{kind}.parquet"
    if not file.exists():
        pytest.skip(f"no expected rows of this kind: {file.name}")
    check_rows(frame, pq.read_table(file), kind)


def check_rows(frame: DataFrame, wanted: pa.Table, kind: str) -> None:
    """Check that a frame has the columns and rows of a table, which may lack the meta columns."""
    read = frame.toArrow()
    stored_meta = META[0] in wanted.column_names
    assert [column for column in read.column_names if stored_meta or column not in META] == wanted.column_names
    assert_same(rows_of(read), rows_of(wanted), kind, wanted.column_names)


@pytest.mark.representatives(name=REPRESENTATIVES)
@pytest.mark.parametrize("name", TABLES)
def test_snapshot(name: str, load: Load, shared_data: Path, real_table: Unpack) -> None:
    check(load(real_table(name)), shared_data, name, "snapshot")


@pytest.mark.representatives(name=(*REPRESENTATIVES, *GOLDEN))
@pytest.mark.parametrize("name", TABLES + GOLDEN)
def test_snapshot_of_many_files(
    name: str, spark: SparkSession, real_rows: Rows, real_table: Unpack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are right if Spark gets a list of files, which is passed early if file names predict the plan."""
    monkeypatch.setattr(scan, "MOST_PATHS", 0)
    check_rows(hoodoo.read(spark, real_table(name)), real_rows(name), "snapshot")


@pytest.mark.representatives(name=(*REPRESENTATIVES, *GOLDEN))
@pytest.mark.parametrize("name", [name for name in TABLES + GOLDEN if "mor" in name])
def test_snapshot_as_of_a_large_table(
    name: str, spark: SparkSession, real_rows: Rows, real_table: Unpack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are right if Spark itself reads the base rows that no log changes, as in large tables."""
    monkeypatch.setattr(divided, "LEAST_BYTES", 1)
    check_rows(hoodoo.read(spark, real_table(name)), real_rows(name), "snapshot")


@pytest.mark.each_value
@pytest.mark.parametrize(
    "name",
    [
        "quickstart_trips_table_mor_avro__v6_trips_8i1u",
        "sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle",
        "sample_table_mor_avro__v9_txns_complex_meta",
    ],
)
def test_read_optimized(name: str, load: Load, shared_data: Path, real_table: Unpack) -> None:
    check(load(real_table(name), query_type="read_optimized"), shared_data, name, "ro")


@pytest.mark.each_value
@pytest.mark.parametrize(
    "name",
    [
        "sample_table_cow__v6_complexkeygen_hivestyle",
        "sample_table_cow__v9_txns_simple_meta",
        "sample_table_mor_avro__v9_txns_simple_nometa",
        "sample_table_mor_parquet__v6_nonpartitioned_rollback",
    ],
)
def test_incremental(name: str, load: Load, shared_data: Path, real_table: Unpack) -> None:
    path = real_table(name)
    commits = hoodoo.Table(path).timeline.commits
    begin, end = commits[0].time, commits[-1].time
    frame = load(path, query_type="incremental", begin=begin, end=end)
    check(frame, shared_data, name, "incr")
    narrow = load(path, query_type="incremental", begin=begin, end=end, columns="_hoodie_record_key").toArrow()
    assert_same(rows_of(narrow), rows_of(frame.select("_hoodie_record_key").toArrow()), "one column")


@pytest.mark.parametrize("name", EMPTY)
def test_a_table_without_commits(name: str, load: Load, real_table: Unpack) -> None:
    frame = load(real_table(name))
    assert (frame.count(), frame.columns[:5]) == (0, list(META))
    assert "id" in frame.columns


@pytest.mark.representatives(name=REPRESENTATIVES)
@pytest.mark.parametrize("name", [name for name in TABLES if "hivestyle" in name or "txns" in name])
def test_a_filter_on_partition_columns_gives_the_rows_that_have_the_value(
    name: str, spark: SparkSession, real_table: Unpack
) -> None:
    path = real_table(name)
    table = hoodoo.Table(path)
    whole = table.to_arrow()
    for column in table.properties.partition_by:
        for value in whole.column(column).unique().to_pylist():
            kept = hoodoo.read(spark, path).where(_equals(column, value, whole)).toArrow()
            wanted = [row for row in rows_of(whole) if row[column] == rows_of(pa.table({"v": [value]}))[0]["v"]]
            assert_same(rows_of(kept), wanted, f"{column} = {value!r}")


def _equals(column: str, value: Any, whole: pa.Table) -> Any:
    from pyspark.sql import functions as F

    return F.col(column).eqNullSafe(
        F.lit(value).cast("int" if whole.schema.field(column).type == pa.int32() else "string")
    )
