"""The upsert of 525,000 rows into 5,000,000 without Spark, against its floor, interleaved, medians."""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import data
import floor
import pyarrow as pa
from upsert import located, options

import hoodoo
from hoodoo.index.bucket_index import bucket_ids

LIMIT = 1.3


def main() -> None:
    """Run and print one line of JSON per index."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--batch", type=int, default=525_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--index", nargs="*", default=["bucket", "simple"], choices=["bucket", "simple"])
    parser.add_argument("--batch-memory", type=int, help="bytes of rows in memory, see the option `batch_memory`")
    arguments = parser.parse_args()
    pa.set_cpu_count(2)  # the floor has two workers
    with tempfile.TemporaryDirectory() as folder, floor.pool() as workers:
        base, batch = data.base(arguments.rows), data.batch(arguments.batch, arguments.rows)
        for index in arguments.index:
            extra = {} if arguments.batch_memory is None else {"batch_memory": arguments.batch_memory}
            print(json.dumps(measure(Path(folder) / index, index, base, batch, workers, arguments.runs, extra)))


def measure(root: Path, index: str, base: pa.Table, batch: pa.Table, workers, runs: int, extra: dict) -> dict:
    """Return the times of floor and upsert, in turn."""
    original = root / "original"
    files = base.nbytes // 3 // (data.PARTITIONS * data.BUCKETS) + 1_000_000
    sizes = {} if index == "bucket" else {"max_file_size": files}
    hoodoo.write(base, original, options(index, "bulk_insert") | sizes)
    slices = hoodoo.Table(original).file_slices()
    if index == "bucket":
        groups = {(s.partition, int(s.file_id[:8])): str(original / s.path) for s in slices}
        slots = bucket_ids(batch.column("key").combine_chunks(), data.BUCKETS)
    else:
        groups, slots = located(original, slices, batch)
    jobs = floor.split(batch, groups, slots, root / "floor")
    floors, ours = [], []
    for run in range(runs + 1):
        copy = root / f"copy-{run}"
        subprocess.run(["cp", "-al", str(original), str(copy)], check=True)
        start = time.perf_counter()
        floor_rows = floor.run(workers, jobs)
        middle = time.perf_counter()
        commit = hoodoo.write(batch, copy, options(index, "upsert") | extra)
        end = time.perf_counter()
        if run:  # the first is the warm-up
            floors.append(middle - start)
            ours.append(end - middle)
        table = hoodoo.Table(copy)
        stored = sum(stat.num_writes for stat in table.timeline.commit_metadata(table.timeline.commits[-1]).stats())
        assert stored == floor_rows, (stored, floor_rows)
        shutil.rmtree(copy)
    return {
        "index": index,
        "file_groups": len(slices),
        "rows_after": stored,
        "updated": commit.rows_updated,
        "inserted": commit.rows_inserted,
        "floor_s": [round(t, 2) for t in floors],
        "hoodoo_s": [round(t, 2) for t in ours],
        "ratio": round(statistics.median(ours) / statistics.median(floors), 2),
        "limit": LIMIT,
    }


if __name__ == "__main__":
    main()
