"""Writes other than the copy-on-write upsert, each alternating with its floor; medians.

- merge-on-read upsert of 525,000 rows, against the floor of the copy-on-write upsert;
- compaction of what that upsert left in logs, against the same floor;
- bulk_insert of 5,000,000 rows, against Spark's own partitioned Parquet write of the same rows.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import hoodoo
from hoodoo.index.bucket_index import bucket_ids
from hoodoo.spark.session import local_session
from tests.benchmarks.baseline import data, floor

LIMITS = {"merge-on-read upsert": 0.9, "compaction": 1.4, "bulk_insert": 1.5}
# cleaning and archiving are in small_upserts.py
OPTIONS = data.MERGE_ON_READ | {"clean_automatic": False, "archive_automatic": False}


def main() -> None:
    """Run the benchmark and print one line of JSON per measurement; the exit code is 1 if a limit is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--batch", type=int, default=525_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    spark = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
    broken = False
    with tempfile.TemporaryDirectory() as folder, floor.pool() as workers:
        root = Path(folder)
        base, batch = data.base(arguments.rows), data.batch(arguments.batch, arguments.rows)
        base_path = data.store_batch(base, root / "base", files=8)
        batch_path = data.store_batch(batch, root / "batch")
        original = root / "original"
        hoodoo.write(spark.read.parquet(base_path), original, OPTIONS | {"operation": "bulk_insert"})
        groups = {
            (s.partition, int(s.file_id[:8])): str(original / s.path) for s in hoodoo.Table(original).file_slices()
        }
        slots = bucket_ids(batch.column("key").combine_chunks(), data.BUCKETS)
        jobs = floor.split(batch, groups, slots, root / "floor")
        floors, upserts, compactions = [], [], []
        for _ in range(arguments.runs + 1):
            copy = root / "copy"
            subprocess.run(["cp", "-al", str(original), str(copy)], check=True)
            floors.append(timed(lambda: floor.run(workers, jobs)))
            frame = spark.read.parquet(batch_path)
            upserts.append(timed(lambda: hoodoo.write(frame, copy, OPTIONS)))  # noqa: B023 - called here
            compactions.append(timed(lambda: hoodoo.Table(copy).compact(spark)))  # noqa: B023
            shutil.rmtree(copy)
        broken |= report("merge-on-read upsert", floors, upserts)
        broken |= report("compaction", floors, compactions)

        plain, ours = [], []
        for number in range(arguments.runs + 1):
            frame = spark.read.parquet(base_path)
            there, here = root / f"spark-{number}", root / f"hoodoo-{number}"
            plain.append(timed(lambda: frame.write.partitionBy("part").parquet(str(there))))  # noqa: B023
            bulk = OPTIONS | {"operation": "bulk_insert", "table_type": "COPY_ON_WRITE", "index": "simple"}
            del bulk["buckets"]
            ours.append(timed(lambda: hoodoo.write(frame, here, bulk)))  # noqa: B023
            shutil.rmtree(there)
            shutil.rmtree(here)
        broken |= report("bulk_insert", plain, ours)
    raise SystemExit(int(broken))


def timed(work: Callable[[], object]) -> float:
    """Flush the data that earlier runs have not written to the disk, and return the seconds of a run."""
    os.sync()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def report(what: str, floors: list[float], ours: list[float]) -> bool:
    """Print a ratio, without the first run of each, and return whether it is over its limit."""
    ratio = statistics.median(ours[1:]) / statistics.median(floors[1:])
    seconds = {name: [round(t, 2) for t in times[1:]] for name, times in (("floor_s", floors), ("hoodoo_s", ours))}
    print(json.dumps({"write": what, **seconds, "ratio": round(ratio, 2), "limit": LIMITS[what]}), flush=True)
    return ratio > LIMITS[what]


if __name__ == "__main__":
    main()
