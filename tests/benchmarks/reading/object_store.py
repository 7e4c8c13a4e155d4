"""Reads of tables in an S3 server on this machine, against `spark.read.parquet("s3a://...")` on the same files.

The session needs Hadoop's S3A: `python tests/support/s3a_jars.py python -m tests.benchmarks.reading.object_store`. The
server is moto, in a process of its own.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import hoodoo
from hoodoo.spark.session import local_session
from hoodoo.testing.engine import write_arrow
from tests.benchmarks.baseline import data
from tests.benchmarks.reading.read import in_turn, report, rounded

LIMITS = {"three columns": 1.15, "all columns hashed": 1.1}
COLUMNS = ["key", "l2", "d1"]
PORT = 5099


def hashed(frame: DataFrame) -> None:
    """Hash every value of every row."""
    frame.agg(F.sum(F.hash(*frame.columns).cast("long"))).collect()


JOBS: dict[str, Callable[[DataFrame], None]] = {
    "three columns": lambda frame: hashed(frame.select(*COLUMNS)),
    "all columns hashed": hashed,
}


@contextmanager
def server() -> Iterator[dict[str, str]]:
    """Run an S3 server with an empty bucket, and yield the options for it and the bucket's name."""
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(PORT)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            bucket = f"bench-{uuid.uuid4().hex[:8]}"
            _create(bucket)
            yield {
                "bucket": bucket,
                "fs.s3a.endpoint": f"http://127.0.0.1:{PORT}",
                "fs.s3a.endpoint.region": "us-east-1",
                "fs.s3a.access.key": "AKIABENCH",
                "fs.s3a.secret.key": "secret",
            }
        finally:
            process.terminate()


def _create(bucket: str) -> None:
    for _ in range(100):
        try:
            connection = HTTPConnection("127.0.0.1", PORT)
            connection.request("PUT", f"/{bucket}")
            connection.getresponse()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the S3 server does not start")


def main() -> None:
    """Run and print one line of JSON per measurement; the exit code is 1 where a limit is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    spark = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
    broken = False
    with server() as options:
        root = f"s3a://{options.pop('bucket')}/t"
        write: dict[str, Any] = data.MERGE_ON_READ | {"table_type": "COPY_ON_WRITE", "operation": "bulk_insert"}
        write_arrow(data.base(arguments.rows), root, write | options)
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
    raise SystemExit(int(broken))


def _plan(frame: DataFrame) -> str:
    return str(frame._jdf.queryExecution().toString())


if __name__ == "__main__":
    main()
