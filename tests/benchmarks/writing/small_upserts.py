"""One hundred upserts of 100 rows in a warm session, services after each commit included: median and slope.

The slope is that of a line through the times of all commits, in milliseconds per commit. A Spark job of the same shape
that does nothing runs before each upsert: a Python function on the rows, one shuffle, a Python task.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.functions import arrow_udf

import hoodoo
from hoodoo.spark.session import local_session
from tests.benchmarks.baseline import data

LIMIT_MS = 400
BINS = 4
OPTIONS = {"table_name": "bench", "record_key": "key", "partition_by": "part", "ordering": "ts"}


def main() -> None:
    """Run the benchmark and print one line of JSON per table type; the exit code is 1 if a median is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--commits", type=int, default=100)
    arguments = parser.parse_args()
    spark = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
    broken = False
    with tempfile.TemporaryDirectory() as folder:
        for table_type in ("COPY_ON_WRITE", "MERGE_ON_READ"):
            path, options = (
                Path(folder) / table_type,
                OPTIONS | {"table_type": table_type, "index": "bucket", "buckets": 1},
            )
            keys = data.keys(arguments.rows, 1)
            hoodoo.write(spark.createDataFrame(data.base(arguments.rows)), path, options | {"operation": "bulk_insert"})
            chance = np.random.default_rng(9)
            frames = []
            for number in range(arguments.commits + 3):
                rows = data.rows(chance.choice(keys, 100, replace=False), number, 1_700_000_000_000_000)
                frames.append(spark.createDataFrame(pa.table(rows)))
            times, floors = [], []
            for frame in frames:
                start = time.perf_counter()
                nothing(frame)
                middle = time.perf_counter()
                hoodoo.write(frame, path, options)
                times.append((time.perf_counter() - middle) * 1000)
                floors.append((middle - start) * 1000)
            times = times[3:]  # the first ones are the warm-up
            slope = float(np.polyfit(range(len(times)), times, 1)[0])
            median = statistics.median(times)
            facts = {"nothing_ms": round(statistics.median(floors[3:]))}
            facts |= {"median_ms": round(median), "p95_ms": round(float(np.percentile(times, 95)))}
            facts |= {
                "first_ten_ms": round(statistics.median(times[:10])),
                "last_ten_ms": round(statistics.median(times[-10:])),
            }
            print(
                json.dumps({"table": table_type, **facts, "slope_ms": round(slope, 2), "limit_ms": LIMIT_MS}),
                flush=True,
            )
            broken |= median > LIMIT_MS
    raise SystemExit(int(broken))


def nothing(frame: DataFrame) -> None:
    """Run a Spark job of the same form as an upsert, without the upsert."""

    def route(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for keys, _ in batches:
            yield pa.array(np.arange(len(keys)) % BINS)

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_pydict({"rows": [batch.num_rows]})

    # Spark requires annotations that are types, and not their texts
    route.__annotations__ = {"batches": Iterator[tuple[pa.Array, ...]], "return": Iterator[pa.Array]}
    routed = frame.withColumn("route", arrow_udf(route, "bigint")("key", "part"))
    sorted_ = routed.repartitionById(BINS, F.col("route").cast("int")).sortWithinPartitions("route")
    sorted_.mapInArrow(count, "rows bigint").collect()


if __name__ == "__main__":
    main()
