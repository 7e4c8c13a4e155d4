"""4,000 rows that touch every file group: the number of parallel tasks, and the upsert's cost against its floor.

Spark sizes shuffle tasks by the bytes of the batch, while their cost is that of the base files. A shuffle that it may
coalesce would leave one task to rewrite the table.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

import hoodoo
from hoodoo.format.file_names import BaseFileName
from hoodoo.index.bucket_index import bucket_ids
from hoodoo.spark.session import local_session
from tests.benchmarks.baseline import data, floor
from tests.benchmarks.writing.upsert import create, located, options

Span = tuple[float, float]


def main() -> None:
    """Run the benchmark and print one line of JSON per index; the exit code is 1 if a core was left idle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--batch", type=int, default=4_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--index", nargs="*", default=["bucket", "simple"], choices=["bucket", "simple"])
    arguments = parser.parse_args()
    spark = local_session("benchmark", cores=arguments.cores, **{"spark.driver.memory": "4g"})
    idle = False
    with tempfile.TemporaryDirectory() as folder, floor.pool() as workers:
        root = Path(folder)
        base, batch = data.base(arguments.rows), data.batch(arguments.batch, arguments.rows)
        base_path, batch_path = data.store_batch(base, root / "base", files=8), data.store_batch(batch, root / "batch")
        for index in arguments.index:
            path = root / index
            create(spark, path, index, base, base_path)
            jobs = floor_jobs(path, index, batch, root / f"{index}-floor")
            floors, ours, spread = [], [], {}
            for run in range(arguments.runs + 1):
                start = time.perf_counter()
                floor.run(workers, jobs)
                middle = time.perf_counter()
                hoodoo.write(spark.read.parquet(batch_path), path, options(index, "upsert"))
                end = time.perf_counter()
                spread = busy(path)
                if run:  # the first is the warm-up
                    floors.append(middle - start)
                    ours.append(end - middle)
            idle |= spread["at_once"] < arguments.cores
            print(
                json.dumps(
                    {
                        "index": index,
                        "batch": arguments.batch,
                        **spread,
                        "floor_s": [round(t, 2) for t in floors],
                        "hoodoo_s": [round(t, 2) for t in ours],
                        "ratio": round(statistics.median(ours) / statistics.median(floors), 2),
                    }
                ),
                flush=True,
            )
    raise SystemExit(int(idle))


def floor_jobs(path: Path, index: str, batch, folder: Path) -> list[tuple[str, str, str]]:
    """Write the batch split by file group, and return the jobs of the floor."""
    slices = hoodoo.Table(path).file_slices()
    if index == "bucket":
        groups = {(s.partition, int(s.file_id[:8])): str(path / s.path) for s in slices}
        return floor.split(batch, groups, bucket_ids(batch.column("key").combine_chunks(), data.BUCKETS), folder)
    groups, slots = located(path, slices, batch)
    return floor.split(batch, groups, slots, folder)


def busy(path: Path) -> dict[str, object]:
    """Return the numbers of files and tasks of the last commit, and the parallelism of the tasks, by the files' times.

    `at_once` is the largest number of tasks that ran at the same time. `overlap` is the share of the time, from the
    first file's beginning to the last one's end, in which at least two tasks ran.
    """
    spans = task_spans(path)
    whole = [(min(start for start, _ in files), max(end for _, end in files)) for files in spans.values()]
    edges = sorted([(start, 1) for start, _ in whole] + [(end, -1) for _, end in whole])
    times, running = np.array([time for time, _ in edges]), np.cumsum([step for _, step in edges])
    lengths = np.diff(times)
    return {
        "files": sum(len(files) for files in spans.values()),
        "tasks": len(spans),
        "at_once": int(running.max()),
        "overlap": round(float(lengths[running[:-1] >= 2].sum() / lengths.sum()), 2),
    }


def task_spans(path: Path) -> dict[str, list[Span]]:
    """Return the beginning and the end of each file of the last commit, in seconds, by the write token of its task.

    The end is the modification time of the file; the commit has the duration.
    """
    table = hoodoo.Table(path)
    spans: dict[str, list[Span]] = {}
    for stat in table.timeline.commit_metadata(table.timeline.commits[-1]).stats():
        end = (path / stat.path).stat().st_mtime
        seconds = (stat.total_upsert_time + stat.total_create_time) / 1000
        token = BaseFileName.parse(Path(stat.path).name).write_token
        spans.setdefault(token, []).append((end - seconds, end))
    return spans


if __name__ == "__main__":
    main()
