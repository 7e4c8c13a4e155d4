"""A small batch that touches every file group uses all cores, although its shuffle has a few kilobytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.benchmarks.writing.small_batch import busy

pytestmark = pytest.mark.spark

STORED, INCOMING, PARTITIONS, BUCKETS = 480_000, 4_000, 8, 2
KEYS = {"table_name": "t", "record_key": "id", "partition_by": "part", "ordering": "ts"}
INDEXES: dict[str, dict[str, Any]] = {
    "bucket": KEYS | {"index": "bucket", "buckets": BUCKETS},
    "simple": KEYS | {"index": "simple", "max_file_size": 500_000},
}


def rows(numbers: range) -> pa.Table:
    return pa.table(
        {
            "id": [f"key-{n:08d}" for n in numbers],
            "part": [f"p{n % PARTITIONS}" for n in numbers],
            "ts": pa.array(numbers, pa.int64()),
        }
    )


@pytest.mark.representatives(index=["bucket"])
@pytest.mark.parametrize("index", INDEXES)
def test_tasks_of_a_small_batch_overlap(spark: SparkSession, tmp_path: Path, index: str) -> None:
    assert spark.conf.get("spark.sql.adaptive.enabled") == "true"
    assert spark.conf.get("spark.sql.adaptive.coalescePartitions.enabled") == "true"
    path, options = tmp_path / "table", INDEXES[index]
    write_arrow(rows(range(STORED)), path, options | {"operation": "bulk_insert"})
    groups = len(hoodoo.Table(path).file_slices())
    assert groups >= PARTITIONS * BUCKETS
    batch = spark.createDataFrame(rows(range(0, STORED, STORED // INCOMING + 1)))
    for _ in range(2):  # workers start during the first write
        commit = hoodoo.write(batch, path, options)
    assert commit.files == groups
    spread = busy(path)
    # as many tasks as the plan has bins: two for each core
    assert spread["tasks"] == 4
    # more than the number of cores if a task ends before the modification time of its file
    assert spread["at_once"] >= 2
    assert spread["overlap"] > 0.2
