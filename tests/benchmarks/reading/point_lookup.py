"""Seconds to find one key among 5,000,000 rows in 256 file groups by the record index, and the same by Hudi.

hoodoo writes the table with the metadata partitions `files` and `record_index`. It finds the key without Spark, and by
`hoodoo.read`; Hudi 1.2.0 reads the same table in the Spark 3.5 of `tox -e interop`, with metadata table and data
skipping, in a session that stays open. The programs take turns. Each run looks another key up and opens the table
again. `--no-hudi` needs neither Maven nor Java for Hudi.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import hoodoo
from hoodoo.spark.session import local_session
from tests.benchmarks.baseline import data
from tests.benchmarks.writing.record_index import options
from tests.interop.processes.hudi_side import HudiSide, bundle, pyspark

CACHE = Path(".pytest_cache/d/interop").absolute()
LIMITS = {"hoodoo without Spark": 0.3, "hoodoo by Spark": 1.0}
BY_METADATA = {"metadata_table": "true"}
OF_HUDI = {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.global.record.level.index.enable": "true",
    "hoodie.enable.data.skipping": "true",
}
INDEXES = {"metadata_table": "true", "index_record_keys": "true"}

LookUp = Callable[[str], int]
"""Function that returns the value of the column `i2` in the row of a key."""


def main() -> None:
    """Run the benchmark and print one line of JSON for each program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--groups", type=int, default=256)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--no-hudi", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = Path(folder, "t")
        base = data.base(arguments.rows)
        written = {**options("global-simple", "COPY_ON_WRITE", base, arguments.groups), **INDEXES}
        hoodoo.write(base, path, {**written, "operation": "bulk_insert"})
        rows = base.select(["key", "i2"]).take(random.Random(5).sample(range(arguments.rows), arguments.runs + 1))
        del base
        programs: dict[str, LookUp] = {"hoodoo without Spark": without_spark(path), "hoodoo by Spark": by_spark(path)}
        if not arguments.no_hudi:
            programs["Hudi 1.2.0"] = by_hudi(path, stack)
        groups = len(hoodoo.Table(path).file_slices())
        for name, seconds in measured(programs, rows).items():
            line = {"program": name, "rows": arguments.rows, "file_groups": groups, "least_most": seconds[::2]}
            print(json.dumps({**line, "seconds": seconds[1], "limit": LIMITS.get(name)}), flush=True)


def without_spark(path: Path) -> LookUp:
    """Return a function that looks keys up by `Table.to_arrow`."""

    def look_up(key: str) -> int:
        found = hoodoo.Table(path).to_arrow(["i2"], filter=pc.field("key") == key, metadata_table=True)
        return single(found.column("i2").to_pylist())

    return look_up


def by_spark(path: Path) -> LookUp:
    """Return a function that looks keys up by `hoodoo.read` in a session with two cores."""
    spark = local_session("benchmark", cores="2")

    def look_up(key: str) -> int:
        found = hoodoo.read(spark, str(path), **BY_METADATA).where(f"key = '{key}'").select("i2")
        return single([row[0] for row in found.collect()])

    return look_up


def by_hudi(path: Path, stack: ExitStack) -> LookUp:
    """Return a function that looks keys up by Hudi in another process with two cores."""
    folder = path.parent / "hudi"
    folder.mkdir()
    settings = {"spark.driver.extraJavaOptions": ""}
    side = HudiSide(pyspark(CACHE), bundle("1.2.0", CACHE), folder, settings=settings)
    stack.callback(side.close)

    def look_up(key: str) -> int:
        [(values, _)] = side.filter(path, OF_HUDI, [f"key = '{key}'"], "i2")
        return single(values)

    return look_up


def single(values: list[Any]) -> int:
    """Return the only value of a list."""
    [value] = values
    return int(value)


def measured(programs: dict[str, LookUp], rows: pa.Table) -> dict[str, list[float]]:
    """Return the least, the median and the largest number of seconds of each program; the first run is the warm-up."""
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for run, row in enumerate(rows.to_pylist()):
        for name, look_up in programs.items():
            started = time.perf_counter()
            found = look_up(row["key"])
            passed = time.perf_counter() - started
            assert found == row["i2"], f"{name}: {row['key']} has {row['i2']}, not {found}"
            if run:
                seconds[name].append(passed)
    return {
        name: [round(value, 3) for value in (min(found), statistics.median(found), max(found))]
        for name, found in seconds.items()
    }


if __name__ == "__main__":
    main()
