"""Tables that leave their partition columns out of their files; tests/interop has those of Apache Hudi."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import hoodoo
from hoodoo.errors import UnsupportedTable
from tests.rows_merged.handmade.tables import T, Table
from tests.support.by_format import by_format

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

DROPPED = {"hoodie.datasource.write.drop.partition.columns": "true"}
VERSIONS = pytest.mark.parametrize("version", [6, 9])


def _table(path: Path, version: int) -> hoodoo.Table:
    table = Table(path, version, partition_by="place", hive_style=True, properties=DROPPED)
    table.write_base(1, ("a", 1, "base"), ("b", 1, "base"), partition="place=x")
    table.write_log(2, ("a", 2, "log"), ("e", 2, "log"), partition="place=x")
    table.write_base(3, ("c", 1, "base"), partition="place=2024/01/02")
    table.write_base(4, ("d", 1, "base"), partition="place=__HIVE_DEFAULT_PARTITION__")
    return hoodoo.Table(path)


def _rows(read: pa.Table) -> list[tuple[object, ...]]:
    return sorted(zip(*(column.to_pylist() for column in read.columns), strict=True))


ALL = [("a", "log", "x"), ("b", "base", "x"), ("c", "base", "2024/01/02"), ("d", "base", None), ("e", "log", "x")]


@VERSIONS
def test_values_come_from_the_paths(version: int, tmp_path: Path) -> None:
    table = _table(tmp_path, version)
    assert table.schema.field("place").type == pa.string()
    assert _rows(table.to_arrow(["id", "v", "place"])) == ALL
    assert _rows(table.to_arrow(["id"], pc.field("place") == "x")) == [("a",), ("b",), ("e",)]
    assert _rows(table.to_arrow(["place"], pc.field("v") == "log")) == [("x",), ("x",)]
    assert _rows(table.to_arrow(["id", "place"], as_of=T(1))) == [("a", "x"), ("b", "x")]
    assert _rows(table.to_arrow(["id"], pc.is_null(pc.field("place")), query_type="read_optimized")) == [("d",)]
    assert not any(split.is_plain for split in table.splits())


def test_a_path_without_a_level_for_each_column(tmp_path: Path) -> None:
    table = Table(tmp_path, 9, partition_by="place,day", properties=DROPPED)
    table.write_base(1, ("a", 1, "base"), partition="x")
    with pytest.raises(
        UnsupportedTable, match=r"\(place, day\) .* partition path 'x' does not have one level for each"
    ):
        hoodoo.Table(tmp_path).to_arrow()


@pytest.mark.nightly
@pytest.mark.spark
def test_spark_reads_them(spark: SparkSession, tmp_path: Path) -> None:
    _table(tmp_path, 6)
    for frame in (hoodoo.read(spark, tmp_path), *by_format(spark, tmp_path)):
        assert sorted(map(tuple, frame.select("id", "v", "place").collect())) == ALL
        assert [row.id for row in frame.where("place like '2024%'").collect()] == ["c"]
