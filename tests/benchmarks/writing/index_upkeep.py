"""The upsert of 50,000 rows into 1,000,000 in 64 file groups with a metadata table against one without.

The writes run without Spark. The metadata table has the list of files, statistics of columns and the record index,
which each write keeps current; with `--statistics` it has no record index. Both tables have the same files and the
index `global-simple`; their runs alternate. Each run writes the batch twice, so that the second upsert of a
merge-on-read table meets the logs of the first one.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import hoodoo
from tests.benchmarks.baseline import data
from tests.benchmarks.writing.record_index import options

STATISTICS = ("column_stats",)
ALL_INDEXES = ("column_stats", "record_index")
LIMITS = {STATISTICS: 1.15, ALL_INDEXES: 1.25}
UPSERTS = 2


def main() -> None:
    """Run the benchmark and print one line of JSON for each upsert of a run."""
    parser = upkeep_arguments(__doc__)
    parser.add_argument("--statistics", action="store_true", help="without the record index")
    arguments = parser.parse_args()
    indexes = STATISTICS if arguments.statistics else ALL_INDEXES
    table_type = "MERGE_ON_READ" if arguments.merge_on_read else "COPY_ON_WRITE"
    base = data.base(arguments.rows)
    batch = data.batch(arguments.batch, arguments.rows)
    given = options("global-simple", table_type, base, arguments.groups)
    with tempfile.TemporaryDirectory() as folder:
        tables = stored_tables(Path(folder), base, given, indexes)
        found: dict[str, list[list[tuple[float, float]]]] = {name: [] for name in tables}
        for run in range(arguments.runs + 1):
            for name, table in tables.items():
                copy = Path(folder, f"{name}-{run}")
                subprocess.run(["cp", "-al", str(table), str(copy)], check=True)
                upserts = []
                for _ in range(UPSERTS):
                    started = time.perf_counter(), time.process_time()
                    hoodoo.write(batch, copy, given)
                    upserts.append((time.perf_counter() - started[0], time.process_time() - started[1]))
                if run:  # the first is the warm-up
                    found[name].append(upserts)
                shutil.rmtree(copy)
    medians = {name: np.median(np.array(runs), axis=0) for name, runs in found.items()}
    for number in range(UPSERTS):
        passed, processor = (medians["with"][number] / medians["without"][number]).round(2).tolist()
        seconds = {name: median[number].round(3).tolist() for name, median in medians.items()}
        line = {"upsert": number + 1, "seconds_and_processor_seconds": seconds, "ratio": passed}
        print(json.dumps({**line, "processor_ratio": processor, "limit": LIMITS[indexes]}), flush=True)


def upkeep_arguments(description: str | None) -> argparse.ArgumentParser:
    """Return the parser of a benchmark of the upkeep of a metadata table."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=50_000)
    parser.add_argument("--groups", type=int, default=64)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--merge-on-read", action="store_true")
    return parser


def stored_tables(
    folder: Path, base: pa.Table, given: Mapping[str, Any], indexes: Sequence[str] = ALL_INDEXES
) -> dict[str, Path]:
    """Create a table without a metadata table and an equal one with indexes, and return their paths.

    The keys of the result are `without` and `with`.
    """
    tables = {name: folder / name for name in ("without", "with")}
    hoodoo.write(base, tables["without"], {**given, "operation": "bulk_insert"})
    shutil.copytree(tables["without"], tables["with"])
    hoodoo.Table(tables["with"]).create_indexes(*indexes)
    return tables


if __name__ == "__main__":
    main()
