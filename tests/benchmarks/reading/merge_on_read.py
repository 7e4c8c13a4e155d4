"""Reads of a merge-on-read table whose logs update a tenth of its rows, against an equal table without logs.

The floor is the table without logs, read alternately in the same way. The program also measures the opening of a table
with many small commits, and an incremental read of its last commit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

import hoodoo
from hoodoo.spark.session import local_session
from hoodoo.testing.engine import write_arrow
from tests.benchmarks.baseline import data

LIMITS = {"parquet": 1.5, "avro": 2.0}
OPTIONS = data.MERGE_ON_READ


def main() -> None:
    """Run the benchmark and print one line of JSON per measurement; the exit code is 1 if a limit is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--format", nargs="*", default=["parquet", "avro"], choices=["parquet", "avro"])
    parser.add_argument("--commits", type=int, default=1000)
    arguments = parser.parse_args()
    spark = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
    broken = False
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        base = data.base(arguments.rows)
        plain = root / "plain"
        write_arrow(base, plain, OPTIONS | {"operation": "bulk_insert"})
        for log_format in arguments.format:
            logged = root / log_format
            write_arrow(base, logged, OPTIONS | {"operation": "bulk_insert"})
            # their ordering values are greater than those of the stored rows, so that each of them wins
            changes = data.rows(sample(arguments.rows), 7, 1_700_000_000_000_000)
            write_arrow(changes, logged, OPTIONS | {"operation": "upsert", "log_format": log_format})
            for way, read in {"arrow": _arrow, "spark": lambda path: _spark(spark, path)}.items():
                result = _in_turn(lambda: read(plain), lambda: read(logged), arguments.runs)  # noqa: B023 - called here
                limit = LIMITS[log_format]
                broken |= result["ratio"] > limit
                print(json.dumps({"read": way, "logs": log_format, **result, "limit": limit}), flush=True)
        result = _many_commits(root / "commits", arguments.commits, arguments.runs)
        broken |= result["open_s"] > 0.5 or result["incremental_of_snapshot"] > 0.1
        print(json.dumps(result), flush=True)
    raise SystemExit(int(broken))


def sample(rows: int) -> np.ndarray:
    """Return the keys of a tenth of the rows."""
    return np.random.default_rng(6).choice(data.keys(rows, 1), rows // 10, replace=False)


def _arrow(path: Path) -> int:
    return hoodoo.Table(path).to_arrow().num_rows


def _spark(spark, path: Path) -> None:
    frame = hoodoo.read(spark, path)
    frame.agg(F.bit_xor(F.xxhash64(*frame.columns))).collect()


def _in_turn(floor: Callable[[], object], read: Callable[[], object], runs: int) -> dict[str, object]:
    floors, ours = [], []
    for run in range(runs + 1):
        start = time.perf_counter()
        floor()
        middle = time.perf_counter()
        read()
        end = time.perf_counter()
        if run:  # the first is the warm-up
            floors.append(middle - start)
            ours.append(end - middle)
    ratio = statistics.median(ours) / statistics.median(floors)
    return {"floor_s": [round(t, 2) for t in floors], "s": [round(t, 2) for t in ours], "ratio": round(ratio, 2)}


def _many_commits(path: Path, commits: int, runs: int) -> dict[str, object]:
    """Return the median seconds of opening a table with many small commits, of its snapshot, and of its last commit."""
    options = {"table_name": "many", "record_key": "key", "partition_by": "part", "ordering": "ts"}
    options |= {"clean_automatic": False, "archive_automatic": False}
    write_arrow(data.base(200_000), path, options | {"operation": "bulk_insert"})
    for number in range(commits - 1):
        part = f"small-{number % 20}"
        rows = pa.table({"key": [f"{number:016x}"], "part": [part], "ts": pa.array([0], pa.timestamp("us", tz="UTC"))})
        write_arrow(rows, path, options | {"operation": "insert", "small_file_limit": 0})
    last = hoodoo.Table(path).timeline.commits[-2].time
    opened, snapshots, incrementals = [], [], []
    for _ in range(runs):
        start = time.perf_counter()
        hoodoo.Table(path).splits()
        first = time.perf_counter()
        hoodoo.Table(path).to_arrow()
        second = time.perf_counter()
        hoodoo.Table(path).to_arrow(query_type="incremental", begin=last)
        incrementals.append(time.perf_counter() - second)
        snapshots.append(second - first)
        opened.append(first - start)
    snapshot, incremental = statistics.median(snapshots), statistics.median(incrementals)
    return {
        "commits": commits,
        "open_s": round(statistics.median(opened), 3),
        "snapshot_s": round(snapshot, 3),
        "incremental_s": round(incremental, 3),
        "incremental_of_snapshot": round(incremental / snapshot, 2),
    }


if __name__ == "__main__":
    main()
