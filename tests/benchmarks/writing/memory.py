"""Peak memory of the Python workers during an upsert, against the limit of three decoded file groups plus 256 MB.

Each measurement has a separate interpreter, Spark session and workers, so that others do not affect it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import psutil
import pyarrow.parquet as pq

import hoodoo
from hoodoo.spark.session import local_session
from tests.benchmarks.baseline import data
from tests.benchmarks.writing.upsert import create, options

MB = 1_000_000
FACTOR, ALLOWANCE = 3, 256 * MB
SAMPLES_PER_SECOND = 50
# meta columns that are the same in every row: they are never decoded
CONSTANT = ("_hoodie_partition_path", "_hoodie_file_name")


def main() -> None:
    """Run the benchmark and print one line of JSON per index and batch; the exit code is 1 if the limit is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--batch", type=int, nargs="*", default=[525_000, 5_250_000])
    parser.add_argument("--index", nargs="*", default=["bucket", "simple"], choices=["bucket", "simple"])
    arguments = parser.parse_args()
    broken = False
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        base_path = alone(store, data.base, (arguments.rows,), root / "base")
        batches = {n: alone(store, data.batch, (n, arguments.rows), root / f"batch-{n}") for n in arguments.batch}
        for index in arguments.index:
            table = root / index
            alone(make, table, index, arguments.rows, base_path)
            for rows, path in batches.items():
                copy = root / "copy"
                shutil.copytree(table, copy)
                result = alone(measure, copy, index, path)
                shutil.rmtree(copy)
                broken |= result["peak_mb"] > result["limit_mb"]
                print(json.dumps({"index": index, "batch": rows, **result}), flush=True)
    raise SystemExit(int(broken))


def alone(function, *arguments):
    """Call a function in a separate interpreter, and return its result."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def store(make_rows, arguments: tuple[int, ...], folder: Path) -> str:
    """Make rows and store them as Parquet files for Spark; return the path of their folder."""
    return data.store_batch(make_rows(*arguments), folder, files=8)


def make(path: Path, index: str, rows: int, base_path: str) -> None:
    """Create the table with an index and `rows` rows, which are stored in Parquet files at `base_path`."""
    spark = session()
    create(spark, path, index, data.base(rows), base_path)
    spark.stop()


def measure(path: Path, index: str, batch_path: str) -> dict[str, object]:
    """Upsert, and return the peaks of the workers in MB, compared with the largest file group."""
    spark = session()
    largest = max(decoded_bytes(path / s.path) for s in hoodoo.Table(path).file_slices())
    with Watch() as watch:
        commit = hoodoo.write(spark.read.parquet(batch_path), path, options(index, "upsert"))
    spark.stop()
    limit = FACTOR * largest + ALLOWANCE
    return {
        "updated": commit.rows_updated,
        "inserted": commit.rows_inserted,
        "largest_group_mb": round(largest / MB),
        "workers_mb": [round(peak / MB) for peak in sorted(watch.peaks.values(), reverse=True)],
        "peak_mb": round(max(watch.peaks.values()) / MB),
        "limit_mb": round(limit / MB),
        "used": round(max(watch.peaks.values()) / limit, 2),
        "groups_beyond_allowance": round((max(watch.peaks.values()) - ALLOWANCE) / largest, 2),
    }


def session():
    """Return a session with two cores."""
    return local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})


def decoded_bytes(path: Path) -> int:
    """Return the size of a base file in memory as Arrow, in bytes, without the columns in `CONSTANT`."""
    names = [name for name in pq.read_schema(path).names if name not in CONSTANT]
    return pq.read_table(path, columns=names, read_dictionary=["_hoodie_commit_time"]).nbytes


class Watch:
    """Peaks of resident memory, in bytes, by process id, of the Python workers below this process."""

    def __init__(self) -> None:
        self.peaks: dict[int, int] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._sample()
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(1 / SAMPLES_PER_SECOND):
            self._sample()

    def _sample(self) -> None:
        for worker in _workers():
            try:
                peak = _high_water_mark(worker.pid) or worker.memory_info().rss
            except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
                continue  # the worker has ended; its last sample is kept
            self.peaks[worker.pid] = max(peak, self.peaks.get(worker.pid, 0))


def _workers() -> Iterator[psutil.Process]:
    """Yield the processes that Spark's Python daemon has forked."""
    for process in psutil.Process().children(recursive=True):
        try:
            command = " ".join(process.cmdline())
            if "pyspark.daemon" in command and "pyspark.daemon" in " ".join(process.parent().cmdline()):
                yield process
        except (psutil.NoSuchProcess, AttributeError):
            continue  # the process or its parent has ended


def _high_water_mark(process: int) -> int | None:
    """Return the peak in bytes that the kernel has recorded, also between two samples; None if it is not recorded."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return None
    for line in status.read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None


if __name__ == "__main__":
    main()
