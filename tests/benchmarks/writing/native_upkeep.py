"""The upsert of 50,000 rows into 1,000,000 with a metadata table against one without, by hoodoo and by hudi-core.

The writes run without Spark. The crate hudi-core is Hudi's native writer, built by Cargo. The metadata table has the
list of files, statistics of columns and the record index. Both writers get copies of the same tables, with and without
a metadata table, and their runs alternate. The crate looks keys up in the record index if there is one, and in all
files otherwise. hoodoo is measured with the index `global-simple` in both tables, and with the index `record` in the
table with a record index.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import hoodoo
from tests.benchmarks.baseline import data
from tests.benchmarks.writing.index_upkeep import stored_tables, upkeep_arguments
from tests.benchmarks.writing.record_index import options
from tests.interop.processes.native_side import NativeSide
from tests.support.rust_program import missing

Upsert = Callable[[pa.Table, Path], float]


def main() -> None:
    """Run the benchmark and print one line of JSON for each writer, and one for each ratio."""
    parser = upkeep_arguments(__doc__)
    arguments = parser.parse_args()
    reason = missing()
    if reason is not None:
        parser.error(reason)
    table_type = "MERGE_ON_READ" if arguments.merge_on_read else "COPY_ON_WRITE"
    base = data.base(arguments.rows)
    given = {**options("global-simple", table_type, base, arguments.groups), "table_version": 9}
    with tempfile.TemporaryDirectory() as folder:
        tables = stored_tables(Path(folder), base, given)
        native = NativeSide(Path(folder, "native"))
        writers: dict[str, tuple[str, Upsert]] = {
            "native without": ("without", _native(native)),
            "native with": ("with", _native(native)),
            "hoodoo without": ("without", _hoodoo(given)),
            "hoodoo with": ("with", _hoodoo(given)),
            "hoodoo with, by its record index": ("with", _hoodoo({**given, "index": "record"})),
        }
        try:
            found = measured(tables, writers, data.batch(arguments.batch, arguments.rows), arguments.runs)
        finally:
            native.close()
    medians = {name: float(np.median(seconds)) for name, seconds in found.items()}
    for name, seconds in found.items():
        least_most = [round(min(seconds), 3), round(max(seconds), 3)]
        print(json.dumps({"writer": name, "seconds": round(medians[name], 3), "least_most": least_most}), flush=True)
    for name in ("native with", "hoodoo with", "hoodoo with, by its record index"):
        ratio = medians[name] / medians[f"{name.split()[0]} without"]
        print(json.dumps({"writer": name, "ratio_to_without": round(ratio, 2)}), flush=True)


def measured(
    tables: Mapping[str, Path], writers: Mapping[str, tuple[str, Upsert]], batch: pa.Table, runs: int
) -> dict[str, list[float]]:
    """Return the seconds of the upserts of each writer, in turn; each writer must have the same rows afterwards."""
    found: dict[str, list[float]] = {name: [] for name in writers}
    for run in range(runs + 1):
        rows = set()
        for name, (kind, upsert) in writers.items():
            copy = tables[kind].parent / f"copy-{run}"
            subprocess.run(["cp", "-al", str(tables[kind]), str(copy)], check=True)
            seconds = upsert(batch, copy)
            if run:  # the first is the warm-up
                found[name].append(seconds)
            else:
                stored = hoodoo.Table(copy).to_arrow(columns=["ts"])
                rows.add((stored.num_rows, stored["ts"].cast(pa.int64()).to_numpy().sum()))
            shutil.rmtree(copy)
        assert len(rows) <= 1, rows
    return found


def _native(side: NativeSide) -> Upsert:
    def upsert(batch: pa.Table, path: Path) -> float:
        seconds: float = side.upsert(path, batch)["seconds"]
        assert side.warnings == [], side.warnings
        return seconds

    return upsert


def _hoodoo(given: Mapping[str, Any]) -> Upsert:
    def upsert(batch: pa.Table, path: Path) -> float:
        started = time.perf_counter()
        hoodoo.write(batch, path, given)
        return time.perf_counter() - started

    return upsert


if __name__ == "__main__":
    main()
