"""Seconds to plan a query of all rows of a table in S3 by listing it, in a new process.

The table has 100,000 files in 1,000 partitions. The server runs on this machine and delays each response by 30 ms.
Each run is a process that has read nothing; the time begins when its imports are done.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import uuid
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

import hoodoo
from hoodoo import Table
from tests.benchmarks.baseline.list_server import BUCKET, served

_OLD = "20200101000000000"
LIMIT = 3.0


def main() -> None:
    """Run the benchmark and print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=1000)
    parser.add_argument("--files", type=int, default=100, help="files in each partition")
    parser.add_argument("--delay", type=float, default=0.03, help="seconds of each request")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--options", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.options:
        print(_seconds(json.loads(arguments.options), arguments.partitions * arguments.files + 1))
        return
    with TemporaryDirectory() as folder:
        _create(Path(folder, "t"), arguments.partitions, arguments.files)
        with served(Path(folder), arguments.delay) as options:
            command = [sys.executable, "-m", __spec__.name, *sys.argv[1:], "--options", json.dumps(options)]
            found = [float(subprocess.check_output(command)) for _ in range(arguments.runs)]
    facts = {"files": arguments.partitions * arguments.files + 1, "partitions": arguments.partitions + 1}
    times = {"seconds": round(statistics.median(found), 3), "least_most": [round(min(found), 3), round(max(found), 3)]}
    print(json.dumps({**facts, "delay": arguments.delay, **times, "limit": LIMIT}), flush=True)


def _create(path: Path, partitions: int, files: int) -> None:
    table = {"table_name": "t", "record_key": "id", "partition_by": "p", "table_version": 9}
    hoodoo.write(pa.table({"id": ["a"], "p": ["x"]}), path, table)
    for partition in range(partitions):
        folder = path / f"p{partition:05}"
        folder.mkdir()
        for _ in range(files):
            (folder / f"{uuid.uuid4()}-0_0-0-0_{_OLD}.parquet").touch()


def _seconds(options: dict[str, str], files: int) -> float:
    started = time.perf_counter()
    found = Table(f"s3://{BUCKET}/t", options).plan()
    seconds = time.perf_counter() - started
    assert len(found.splits) == files, len(found.splits)
    return seconds


if __name__ == "__main__":
    main()
