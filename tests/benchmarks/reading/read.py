"""A copy-on-write snapshot against `spark.read.parquet` on the same files, and the time to plan many files.

The first floor is the time in which Spark reads the same base files by their paths. Planning is measured on tables of
1,000 and of 10,000 files, half of them superseded in one, without Spark and with it; the plans are not run. The floor
of planning with Spark is the time in which Spark lists the folders.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import functions as F

import hoodoo
from hoodoo.format import BaseFileName, new_file_id
from hoodoo.spark.session import local_session
from hoodoo.storage import LocalStorage
from hoodoo.testing.engine import write_arrow
from hoodoo.timeline import CommitMetadata, WriteStat
from tests.benchmarks.baseline import data

OPTIONS = {"table_name": "bench", "record_key": "key", "partition_by": "part", "ordering": "ts"}
LIMITS = {"all columns": 1.1, "one column": 1.1, "10000 files": 0.5, "10000 files with Spark": 0.5}
JOBS = {
    "all columns": lambda frame: frame.write.format("noop").mode("overwrite").save(),
    "one column": lambda frame: frame.agg(F.sum("l2")).collect(),
}


def main() -> None:
    """Run the benchmark and print one line of JSON per measurement; the exit code is 1 if a limit is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    spark = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
    broken = False
    with tempfile.TemporaryDirectory() as folder:
        for hive_style in (False, True):
            path = Path(folder) / f"hive-style-{hive_style}"
            bucketed = {"index": "bucket", "buckets": data.BUCKETS, "operation": "bulk_insert"}
            write_arrow(data.base(arguments.rows), path, OPTIONS | bucketed | {"hive_style": hive_style})
            files = [f"{path}/{file_slice.path}" for file_slice in hoodoo.Table(path).file_slices()]
            for job, run in JOBS.items():
                floors, ours = in_turn(
                    arguments.runs,
                    lambda: run(spark.read.parquet(*files)),  # noqa: B023 - called here
                    lambda: run(hoodoo.read(spark, path)),  # noqa: B023
                )
                ratio = statistics.median(ours) / statistics.median(floors)
                broken |= report(job, ratio, hive_style=hive_style, floor_s=rounded(floors), hoodoo_s=rounded(ours))
        for groups, superseded in ((1_000, 0), (10_000, 0), (5_000, 5_000)):
            path = Path(folder) / f"{groups}-{superseded}"
            many_files(path, groups, superseded)
            reader = spark.read.schema(hoodoo.read(spark, path).schema)
            folders = [f"{path}/p{number}" for number in range(data.PARTITIONS)]
            floors, plans, ours = in_turn(
                arguments.runs,
                lambda: reader.parquet(*folders),  # noqa: B023
                lambda: hoodoo.Table(path).plan(),  # noqa: B023
                lambda: hoodoo.read(spark, path),  # noqa: B023
            )
            what, facts = f"{groups + superseded} files", {"superseded": superseded}
            broken |= report(what, statistics.median(plans), **facts, hoodoo_s=rounded(plans))
            facts |= {"floor_s": rounded(floors), "hoodoo_s": rounded(ours)}
            broken |= report(f"{what} with Spark", statistics.median(ours), **facts)
    raise SystemExit(int(broken))


def report(what: str, value: float, **facts: object) -> bool:
    """Print a measurement, and return whether it is over its limit."""
    limit = LIMITS.get(what)
    load = round(os.getloadavg()[0], 1)
    print(json.dumps({"what": what, "value": round(value, 3), "limit": limit, **facts, "load": load}), flush=True)
    return limit is not None and value > limit


def in_turn(runs: int, *works: Callable[[], object]) -> list[list[float]]:
    """Run the functions alternately, and return the seconds of their runs after two runs as warm-up."""
    times: list[list[float]] = [[] for _ in works]
    for number in range(runs + 2):
        for work, seconds in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            if number > 1:
                seconds.append(time.perf_counter() - start)
    return times


def rounded(seconds: list[float]) -> list[float]:
    """Return the seconds rounded to milliseconds, for the report."""
    return [round(value, 3) for value in seconds]


def many_files(path: Path, groups: int, superseded: int) -> None:
    """Create a table with file groups in eight partitions, some of which have a second, superseding base file.

    The base files are links to one file. `superseded` is the number of file groups with two of them.
    """
    write_arrow(data.base(8), path, OPTIONS | {"index": "bucket", "buckets": 1})
    table = hoodoo.Table(path)
    schema = table.timeline.commit_metadata(table.timeline.commits[0]).extra_metadata
    original = table.file_slices()[0]
    ids = [new_file_id() for _ in range(groups)]
    storage = LocalStorage(str(path))
    for instant, count in (("20380101000000000", groups), ("20380102000000000", superseded)):
        stats: dict[str, list[WriteStat]] = {}
        for number, file_id in enumerate(ids[:count]):
            partition = f"p{number % data.PARTITIONS}"
            file = f"{partition}/{BaseFileName(file_id, f'{number}-0-0', instant)}"
            (path / partition).mkdir(exist_ok=True)
            os.link(path / (original.path or ""), path / file)
            stat = WriteStat(file_id, file, partition, num_writes=1, file_size_in_bytes=original.size)
            stats.setdefault(partition, []).append(stat)
        body = CommitMetadata("UPSERT", {p: tuple(s) for p, s in stats.items()}, schema)
        storage.create(f".hoodie/{instant}.commit", body.to_json())


if __name__ == "__main__":
    main()
