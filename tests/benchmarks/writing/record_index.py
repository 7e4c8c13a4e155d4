"""The upsert of 50,000 rows into 5,000,000 in 256 file groups by the record index, against two other indexes.

The writes run without Spark, unless `--spark` is set. The runs of the indexes alternate. `record` has a metadata table
with a record index, which each write also keeps current; `bucket` and `global-simple` have none. `--near` takes the
updates from one file group in sixteen, so that no other file group is changed, and leaves out `bucket`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import hoodoo
from tests.benchmarks.baseline import data
from tests.support.metadata_tables import add_record_index

LIMITS = {"bucket": 1.3, "global-simple": 1 / 3}
SHARDS = 10
NEAR = 16


def main() -> None:
    """Run the benchmark and print one line of JSON for each index, and one with the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--batch", type=int, default=50_000)
    parser.add_argument("--groups", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--merge-on-read", action="store_true")
    parser.add_argument("--near", action="store_true", help="updates of few file groups")
    parser.add_argument("--spark", action="store_true", help="write by Spark, with two cores")
    arguments = parser.parse_args()
    table_type = "MERGE_ON_READ" if arguments.merge_on_read else "COPY_ON_WRITE"
    with tempfile.TemporaryDirectory() as folder:
        base = data.base(arguments.rows)
        indexes = {"record": "record", "global-simple": "global-simple", **({} if arguments.near else {"bucket": ""})}
        tables, given = {}, {}
        for name in indexes:
            given[name] = options(name, table_type, base, arguments.groups)
            tables[name] = Path(folder, name)
            first = {**given[name], "operation": "bulk_insert"}
            hoodoo.write(base, tables[name], first | ({"index": "global-simple"} if name == "record" else {}))
        add_record_index(tables["record"], SHARDS)
        rows = batch_of(arguments, base, tables["record"])
        seconds = measure(tables, given, rows, arguments.runs, spark=arguments.spark)
        medians = {name: np.median(np.array(found), axis=0) for name, found in seconds.items()}
        for name, found in seconds.items():
            groups = len(hoodoo.Table(tables[name]).file_slices())
            passed, processor = medians[name].round(3).tolist()
            least_most = [round(min(found)[0], 3), round(max(found)[0], 3)]
            times = {"seconds": passed, "least_most": least_most, "processor_seconds": processor}
            print(json.dumps({"index": name, "file_groups": groups, **times}), flush=True)
        for name, found in medians.items():
            if name != "record":
                passed, processor = (medians["record"] / found).round(2).tolist()
                line = {"record against": name, "ratio": passed, "processor_ratio": processor}
                print(json.dumps({**line, "limit": round(LIMITS[name], 2)}), flush=True)


def options(name: str, table_type: str, base: pa.Table, groups: int) -> dict[str, Any]:
    """Return the options of the writes with an index."""
    common = {
        "table_name": "bench",
        "record_key": "key",
        "partition_by": "part",
        "ordering": "ts",
        "table_type": table_type,
        "index": name,
        "compact_inline": False,
    }
    if name == "bucket":
        return common | {"buckets": groups // data.PARTITIONS}
    return common | {"max_file_size": base.nbytes // 3 // groups, "small_file_limit": 0}


def batch_of(arguments: argparse.Namespace, base: pa.Table, table: Path) -> pa.Table:
    """Return the batch of the benchmarks, or with `--near` rows of one file group in sixteen."""
    if not arguments.near:
        return data.batch(arguments.batch, arguments.rows)
    splits = hoodoo.Table(table).splits(columns=base.column_names)
    near = pa.concat_tables(split.read().read_all() for split in splits[:: max(1, NEAR)])
    chosen = np.random.default_rng(1).permutation(near.num_rows)[: arguments.batch]
    return near.select(base.column_names).take(pa.array(chosen)).cast(base.schema)


def measure(
    tables: Mapping[str, Path], given: Mapping[str, Any], rows: pa.Table, runs: int, *, spark: bool
) -> dict[str, list[tuple[float, float]]]:
    """Return the seconds of the upserts of each index, in turn, and their processor time in this process."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in tables}
    source: Any = rows
    if spark:
        from hoodoo.spark.session import local_session

        session = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
        folder = next(iter(tables.values())).parent / "batch"
        source = session.read.parquet(data.store_batch(rows, folder))
    warnings.simplefilter("error", hoodoo.options.NoEffectWarning)
    for run in range(runs + 1):
        after = set()
        for name, table in tables.items():
            copy = table.parent / f"{name}-{run}"
            subprocess.run(["cp", "-al", str(table), str(copy)], check=True)
            started = time.perf_counter(), time.process_time()
            commit = hoodoo.write(source, copy, given[name])
            if run:  # the first is the warm-up
                seconds[name].append((time.perf_counter() - started[0], time.process_time() - started[1]))
            # an upsert by bucket writes logs without reading which of their keys are stored
            after.add(commit.rows_updated + commit.rows_inserted)
            shutil.rmtree(copy)
        assert len(after) == 1, after
    return seconds


if __name__ == "__main__":
    main()
