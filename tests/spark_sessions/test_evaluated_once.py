"""A write evaluates its input exactly once, which a counting source and random columns show."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hoodoo
from hoodoo.testing.engine import write_arrow

pytestmark = pytest.mark.spark

PARTITIONS = 3
KEYS = {"table_name": "t", "record_key": "id", "ordering": "ts"}
TABLES: dict[str, dict[str, Any]] = {
    "bucket": KEYS | {"partition_by": "part", "index": "bucket", "buckets": 2},
    "simple": KEYS | {"partition_by": "part", "index": "simple"},
    # there are fewer partitions than cores: tasks share the partition, and rows are shuffled twice
    "simple-shared": KEYS | {"index": "simple"},
    "global-simple": KEYS | {"partition_by": "part", "index": "global-simple"},
}


def counted(spark: SparkSession, rows: int, folder: Path) -> DataFrame:
    """Return the numbers below `rows`; each evaluation of a partition creates a file in the folder."""
    folder.mkdir()
    return spark.range(0, rows, 1, PARTITIONS).mapInArrow(_counting(str(folder)), "n long")


def _counting(folder: str) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        partition = TaskContext.get().partitionId()
        Path(folder, f"{partition}-{uuid.uuid4().hex}").touch()
        yield from batches

    return count


def evaluations(folder: Path) -> list[int]:
    """Return the numbers of the evaluated partitions, sorted; a number occurs once for each evaluation."""
    return sorted(int(file.name.split("-")[0]) for file in folder.iterdir())


@pytest.mark.representatives(operation=["upsert"], table=["simple", "bucket"])
@pytest.mark.parametrize("operation", ["upsert", "insert", "bulk_insert", "delete"])
@pytest.mark.parametrize("table", TABLES)
def test_source_is_evaluated_once(spark: SparkSession, tmp_path: Path, table: str, operation: str) -> None:
    path, options = tmp_path / "table", TABLES[table]
    stored = pa.table(
        {"id": [f"k{n}" for n in range(40)], "part": [f"p{n % 2}" for n in range(40)], "ts": pa.array(range(40))}
    )
    write_arrow(stored, path, options)
    source = counted(spark, 60, tmp_path / "evaluations")
    number = F.col("n")
    frame = source.select(
        F.concat(F.lit("k"), number).alias("id"),
        F.concat(F.lit("p"), number % 2).alias("part"),
        (number + 100).alias("ts"),
    )
    commit = hoodoo.write(frame, path, options | {"operation": operation})
    assert commit.rows_incoming == 60
    assert evaluations(tmp_path / "evaluations") == list(range(PARTITIONS))


@pytest.mark.parametrize("arrival", ["content", "ts"])
def test_source_is_evaluated_once_whatever_arrival_is(spark: SparkSession, tmp_path: Path, arrival: str) -> None:
    source = counted(spark, 60, tmp_path / "evaluations")
    frame = source.select(F.col("n").cast("string").alias("id"), F.lit("p").alias("part"), F.col("n").alias("ts"))
    hoodoo.write(frame, tmp_path / "table", TABLES["simple"] | {"arrival": arrival})
    assert evaluations(tmp_path / "evaluations") == list(range(PARTITIONS))


@pytest.mark.representatives(table=["simple"])
@pytest.mark.parametrize("table", TABLES)
def test_random_keys_and_partitions_are_drawn_once(spark: SparkSession, tmp_path: Path, table: str) -> None:
    """A random key that is drawn again after its routing would be stored in a file group where no lookup finds it."""
    path, options = tmp_path / "table", TABLES[table]
    drawn = spark.range(0, 300, 1, PARTITIONS).select(
        F.expr("uuid()").alias("id"), F.format_string("p%d", F.floor(F.rand() * 2)).alias("part"), F.rand().alias("ts")
    )
    first = hoodoo.write(drawn, path, options)
    assert (first.rows_inserted, first.rows_updated) == (300, 0)
    stored = hoodoo.Table(path).to_arrow(["_hoodie_record_key", "_hoodie_partition_path", "id", "part", "ts"])
    assert stored["_hoodie_record_key"].to_pylist() == stored["id"].to_pylist()
    if "partition_by" in options:
        assert stored["_hoodie_partition_path"].to_pylist() == stored["part"].to_pylist()
    again = spark.createDataFrame(stored.select(["id", "part", "ts"]))
    second = hoodoo.write(again.withColumn("ts", F.col("ts") + 1), path, options)
    assert (second.rows_inserted, second.rows_updated) == (0, 300)
