"""The upsert of 525,000 rows into 5,000,000 by Spark in an S3 server on this machine, against that on the disk.

Both tables take the same batch in turn. The time in which the bytes of the replaced base files are read from the server
and those of the new ones are written to it, by two threads, is subtracted from the time in S3. The limit of the
quotient is 1.3. The server is moto, in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hoodoo
from hoodoo.spark.session import local_session
from hoodoo.storage import Storage, storage_for
from tests.benchmarks.baseline import data
from tests.benchmarks.baseline.s3_server import server
from tests.benchmarks.writing import upsert

LIMIT = 1.3


def main() -> None:
    """Run the benchmark and print one line of JSON; the exit code is 1 if the limit is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--batch", type=int, default=525_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--index", default="bucket", choices=["bucket", "simple"])
    arguments = parser.parse_args()
    spark = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
    with tempfile.TemporaryDirectory() as folder, server() as (bucket, store):
        base, batch = data.base(arguments.rows), data.batch(arguments.batch, arguments.rows)
        base_path = data.store_batch(base, Path(folder) / "base", files=8)
        batch_path = data.store_batch(batch, Path(folder) / "batch")
        places: dict[str, tuple[str, dict[str, str]]] = {
            "disk": (f"{folder}/t", {}),
            "s3": (f"s3a://{bucket}/t", store),
        }
        for path, given in places.values():
            upsert.create(spark, path, arguments.index, base, base_path, **given)
        seconds: dict[str, list[float]] = {"disk": [], "s3": [], "transfer": []}
        for run in range(arguments.runs + 1):
            found, before = {}, base_files(*places["s3"])
            for name, (path, given) in places.items():
                started = time.perf_counter()
                options = upsert.options(arguments.index, "upsert") | {"clean_automatic": False}
                hoodoo.write(spark.read.parquet(batch_path), path, options | given)
                found[name] = time.perf_counter() - started
            found["transfer"] = transferred(storage_for(*places["s3"]), before, base_files(*places["s3"]) - before)
            if run:  # the first is the warm-up
                for name, passed in found.items():
                    seconds[name].append(passed)
        medians = {name: statistics.median(found) for name, found in seconds.items()}
        ratio = (medians["s3"] - medians["transfer"]) / medians["disk"]
        rounded = {name: [round(passed, 2) for passed in found] for name, found in seconds.items()}
        print(json.dumps({"index": arguments.index, "seconds": rounded, "ratio": round(ratio, 2), "limit": LIMIT}))
    raise SystemExit(int(ratio > LIMIT))


def base_files(path: str, options: Mapping[str, str]) -> set[str]:
    """Return the paths of the current base files."""
    slices = hoodoo.Table(path, options).file_slices()
    return {file_slice.path for file_slice in slices if file_slice.path is not None}


def transferred(storage: Storage, read: Iterable[str], written: Iterable[str]) -> float:
    """Return the seconds in which two threads read files, and write the contents of others to new files."""
    contents = [storage.read(path) for path in written]
    names = [f".hoodie/transfer/{time.time_ns()}-{number}" for number in range(len(contents))]
    with ThreadPoolExecutor(2) as pool:
        started = time.perf_counter()
        for _ in (*pool.map(storage.read, read), *pool.map(storage.create, names, contents)):
            pass
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
