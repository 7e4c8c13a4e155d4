"""The upsert of 525,000 rows into 5,000,000, alternating with its floor; medians.

There are two ratios to the floor: of the time that passed, and of the processor time, which other programs on the
machine affect less.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pyspark

import hoodoo
from hoodoo.index.bucket_index import bucket_ids
from hoodoo.spark.session import local_session
from tests.benchmarks.baseline import data, floor
from tests.benchmarks.baseline.processor import processor_seconds

LIMITS = {"bucket": 1.8, "simple": 2.2}


def main() -> None:
    """Run the benchmark and print one line of JSON per index."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--batch", type=int, default=525_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--index", nargs="*", default=["bucket", "simple"], choices=["bucket", "simple"])
    arguments = parser.parse_args()
    spark = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
    with tempfile.TemporaryDirectory() as folder, floor.pool() as workers:
        root = Path(folder)
        base, batch = data.base(arguments.rows), data.batch(arguments.batch, arguments.rows)
        base_path = data.store_batch(base, root / "base", files=8)
        batch_path = data.store_batch(batch, root / "batch")
        for index in arguments.index:
            print(
                json.dumps(
                    measure(spark, root / index, index, base, batch, base_path, batch_path, workers, arguments.runs)
                )
            )


def options(index: str, operation: str) -> dict[str, object]:
    """Return the options of one write."""
    chosen = {
        "operation": operation,
        "table_name": "bench",
        "record_key": "key",
        "partition_by": "part",
        "ordering": "ts",
    }
    return chosen | ({"index": "bucket", "buckets": data.BUCKETS} if index == "bucket" else {"index": "simple"})


def create(spark, path: Path | str, index: str, base, base_path: str, **extra: object) -> None:
    """Create the table of 16 file groups; `extra` has further options."""
    rows = spark.read.parquet(base_path)
    if index == "simple":
        # two file groups a partition: half of a partition's rows each, at the record size that is expected of them
        extra |= {"max_file_size": base.nbytes // 3 // (data.PARTITIONS * data.BUCKETS) + 1_000_000}
        rows = rows.repartitionByRange(data.PARTITIONS, "part")
    hoodoo.write(rows, path, options(index, "bulk_insert") | extra)


def measure(spark, root: Path, index: str, base, batch, base_path: str, batch_path: str, workers, runs: int) -> dict:
    """Measure the floor and the upsert alternately, and return their times and ratios."""
    original = root / "original"
    create(spark, original, index, base, base_path)
    table = hoodoo.Table(original)
    slices = table.file_slices()
    if index == "bucket":
        groups = {(s.partition, int(s.file_id[:8])): str(original / s.path) for s in slices}
        slots = bucket_ids(batch.column("key").combine_chunks(), data.BUCKETS)
    else:
        groups, slots = located(original, slices, batch)
    jobs = floor.split(batch, groups, slots, root / "floor")
    floors, ours, stored = [], [], None
    for run in range(runs + 1):
        copy = root / f"copy-{run}"
        subprocess.run(["cp", "-al", str(original), str(copy)], check=True)
        start = time.perf_counter(), processor_seconds()
        floor_rows = floor.run(workers, jobs)
        middle = time.perf_counter(), processor_seconds()
        commit = hoodoo.write(spark.read.parquet(batch_path), copy, options(index, "upsert"))
        end = time.perf_counter(), processor_seconds()
        if run:  # the first is the warm-up
            floors.append((middle[0] - start[0], middle[1] - start[1]))
            ours.append((end[0] - middle[0], end[1] - middle[1]))
        stored = sum(stat.num_writes for stat in _stats(copy))
        assert stored == floor_rows, (stored, floor_rows)
        shutil.rmtree(copy)
    ratio, processor = (
        statistics.median(mine[which] for mine in ours) / statistics.median(least[which] for least in floors)
        for which in (0, 1)
    )
    ratios = [sorted(mine[1] / least[1] for mine, least in zip(ours, floors, strict=True))[place] for place in (0, -1)]
    return {
        "pyspark": pyspark.__version__,
        "index": index,
        "file_groups": len(slices),
        "rows_after": stored,
        "updated": commit.rows_updated,
        "inserted": commit.rows_inserted,
        "floor_s": [round(wall, 2) for wall, _ in floors],
        "hoodoo_s": [round(wall, 2) for wall, _ in ours],
        "ratio": round(ratio, 2),
        "processor_ratio": round(processor, 2),
        "processor_least_most": [round(least_or_most, 2) for least_or_most in ratios],
        "limit": LIMITS[index],
    }


def located(original: Path, slices, batch) -> tuple[dict[tuple[str, int], str], np.ndarray]:
    """Return the file groups, and the slot of each row of the batch, for the floor; new keys get the first slot."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    groups, slots = {}, np.zeros(batch.num_rows, dtype=np.int32)
    number: dict[str, int] = {}
    keys = batch.column("key").combine_chunks()
    for s in slices:
        slot = number[s.partition] = number.get(s.partition, -1) + 1
        groups[s.partition, slot] = str(original / s.path)
        stored = pq.read_table(original / s.path, columns=["_hoodie_record_key"])["_hoodie_record_key"]
        found = pc.is_in(keys, value_set=pa.array(stored.combine_chunks()))
        slots[found.to_numpy(zero_copy_only=False)] = slot
    return groups, slots


def _stats(path: Path):
    table = hoodoo.Table(path)
    return table.timeline.commit_metadata(table.timeline.commits[-1]).stats()


if __name__ == "__main__":
    main()
