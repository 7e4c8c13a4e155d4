"""Reads of tables in an S3 server on this machine, against `spark.read.parquet("s3a://...")` on the same files.

A table with a tenth of its rows in logs is read too, in S3 and on the disk, each against the table without logs in the
same place: the ratio in S3 may be a fifth larger than that on the disk.

The session needs Hadoop's S3A: `python tests/support/s3a_jars.py python -m tests.benchmarks.reading.object_store`. The
server is moto, in a process of its own.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import hoodoo
from hoodoo.spark.session import local_session
from hoodoo.testing.engine import write_arrow
from tests.benchmarks.baseline import data
from tests.benchmarks.baseline.s3_server import server
from tests.benchmarks.reading.merge_on_read import sample
from tests.benchmarks.reading.read import in_turn, report, rounded

LIMITS = {"three columns": 1.15, "all columns hashed": 1.1, "logs": 1.2}
COLUMNS = ["key", "l2", "d1"]


def hashed(frame: DataFrame) -> None:
    """Hash every value of every row."""
    frame.agg(F.sum(F.hash(*frame.columns).cast("long"))).collect()


JOBS: dict[str, Callable[[DataFrame], None]] = {
    "three columns": lambda frame: hashed(frame.select(*COLUMNS)),
    "all columns hashed": hashed,
}


def main() -> None:
    """Run the benchmark and print one line of JSON per measurement; the exit code is 1 if a limit is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    spark = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
    broken = False
    base = data.base(arguments.rows)
    with server() as (bucket, options):
        root = f"s3a://{bucket}/t"
        _store(base, root, options, table_type="COPY_ON_WRITE")
        files = [f"{root}/{file_slice.path}" for file_slice in hoodoo.Table(root, options).file_slices()]
        assert "FileScan parquet" in _plan(hoodoo.read(spark, root, **options))
        for job, run in JOBS.items():
            floors, ours = in_turn(
                arguments.runs,
                lambda: run(spark.read.options(**options).parquet(*files)),  # noqa: B023 - called here
                lambda: run(hoodoo.read(spark, root, **options)),  # noqa: B023
            )
            ratio = statistics.median(ours) / statistics.median(floors)
            report(job, ratio, floor_s=rounded(floors), hoodoo_s=rounded(ours))
            broken |= ratio > LIMITS[job]
    with server() as (bucket, options), tempfile.TemporaryDirectory() as folder:
        ratios = {}
        for place, given in {folder: {}, f"s3a://{bucket}": options}.items():
            plain, logged = f"{place}/plain", f"{place}/logged"
            for path in plain, logged:
                _store(base, path, given, index="bucket")
            # their ordering values are greater than those of the stored rows, so that each of them wins
            changes = data.rows(sample(arguments.rows), 7, 1_700_000_000_000_000)
            write_arrow(changes, logged, data.MERGE_ON_READ | given | {"operation": "upsert"})
            without, with_logs = in_turn(
                arguments.runs,
                lambda: hashed(hoodoo.read(spark, plain, **given)),  # noqa: B023 - called here
                lambda: hashed(hoodoo.read(spark, logged, **given)),  # noqa: B023
            )
            ratios[place] = statistics.median(with_logs) / statistics.median(without)
            where = "S3" if given else "disk"
            report(f"logs, {where}", ratios[place], without_s=rounded(without), with_s=rounded(with_logs))
        disk, store = ratios.values()
        report("logs", store / disk)
        broken |= store / disk > LIMITS["logs"]
    raise SystemExit(int(broken))


def _store(rows: pa.Table, path: str, options: dict[str, str], **others: Any) -> None:
    write_arrow(rows, path, data.MERGE_ON_READ | {"operation": "bulk_insert", **others, **options})


def _plan(frame: DataFrame) -> str:
    return str(frame._jdf.queryExecution().toString())


if __name__ == "__main__":
    main()
