"""The upsert of 525,000 rows into 5,000,000 without Spark, against its floor, interleaved.

Each run gives two ratios to the floor of the same run: of the time that passed, and of the processor time, which other
programs on the machine affect less.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import pyarrow as pa

import hoodoo
from hoodoo.index.bucket_index import bucket_ids
from tests.benchmarks.baseline import data, floor
from tests.benchmarks.baseline.processor import processor_seconds
from tests.benchmarks.writing.upsert import located, options

LIMIT = 1.3
INDEXES = ["bucket", "simple", "bloom", "global-simple"]


def main() -> None:
    """Run the benchmark and print one line of JSON per index."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--batch", type=int, default=525_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--index", nargs="*", default=["bucket", "simple"], choices=INDEXES)
    parser.add_argument("--merge-on-read", action="store_true", help="append to logs; the floor rewrites base files")
    parser.add_argument("--partitions", type=int, default=data.PARTITIONS)
    parser.add_argument("--batch-memory", type=int, help="bytes of rows in memory, see the option `batch_memory`")
    arguments = parser.parse_args()
    data.PARTITIONS = arguments.partitions
    pa.set_cpu_count(2)  # the floor has two workers
    with tempfile.TemporaryDirectory() as folder, floor.pool() as workers:
        base, batch = data.base(arguments.rows), data.batch(arguments.batch, arguments.rows)
        for index in arguments.index:
            extra = {} if arguments.batch_memory is None else {"batch_memory": arguments.batch_memory}
            extra |= {"table_type": "MERGE_ON_READ"} if arguments.merge_on_read else {}
            found = measure(Path(folder) / index, index, base, batch, workers, arguments.runs, extra)
            print(json.dumps(found), flush=True)


def measure(root: Path, index: str, base: pa.Table, batch: pa.Table, workers, runs: int, extra: dict) -> dict:
    """Measure the floor and the upsert alternately, and return their times and ratios."""
    original = root / "original"
    files = base.nbytes // 3 // (data.PARTITIONS * data.BUCKETS) + 1_000_000
    sizes = {} if index == "bucket" else {"max_file_size": files}
    chosen = (
        (lambda operation: options("bucket", operation))
        if index == "bucket"
        else (lambda operation: options("simple", operation) | {"index": index})
    )
    hoodoo.write(base, original, chosen("bulk_insert") | sizes | extra)
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
        start = time.perf_counter(), processor_seconds()
        floor_rows = floor.run(workers, jobs)
        middle = time.perf_counter(), processor_seconds()
        commit = hoodoo.write(batch, copy, chosen("upsert") | extra)
        end = time.perf_counter(), processor_seconds()
        if run:  # the first is the warm-up
            floors.append((middle[0] - start[0], middle[1] - start[1]))
            ours.append((end[0] - middle[0], end[1] - middle[1]))
        table = hoodoo.Table(copy)
        stored = sum(stat.num_writes for stat in table.timeline.commit_metadata(table.timeline.commits[-1]).stats())
        if "table_type" not in extra:
            assert stored == floor_rows, (stored, floor_rows)
        shutil.rmtree(copy)
    ratios = [[mine / least for mine, least in zip(*pair, strict=True)] for pair in zip(ours, floors, strict=True)]
    wall, processor = (sorted(round(ratio[which], 2) for ratio in ratios) for which in (0, 1))
    return {
        "index": index,
        "file_groups": len(slices),
        "rows_after": stored,
        "updated": commit.rows_updated,
        "inserted": commit.rows_inserted,
        "floor_s": [round(wall, 2) for wall, _ in floors],
        "hoodoo_s": [round(wall, 2) for wall, _ in ours],
        "ratio": round(statistics.median(wall), 2),
        "ratio_least_most": [wall[0], wall[-1]],
        "processor_ratio": round(statistics.median(processor), 2),
        "processor_least_most": [processor[0], processor[-1]],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 // 10**6,
        "limit": LIMIT,
    }


if __name__ == "__main__":
    main()
