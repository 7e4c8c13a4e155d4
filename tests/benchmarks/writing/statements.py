"""MERGE, UPDATE and DELETE, each alternating with the plain write that does the same; medians.

- `merge all`: MERGE of 525,000 rows into 5,000,000, with all columns updated or inserted, against the plain upsert;
- `merge columns`: the same with a value that needs the stored row, against the plain upsert;
- `update`: UPDATE of 1 % of the rows by a predicate, against the plain upsert of the same new rows;
- `delete`: DELETE of 1 % of the rows by a predicate, against operation delete with the same keys;
- `delete keys`: MERGE that deletes the rows of the keys of the batch, against the plain upsert: in a merge-on-read
  table, a log append.

Each line has the ratio of the time that passed, and that of the processor time, which other programs affect less.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import hoodoo
from hoodoo.spark.session import local_session
from tests.benchmarks.baseline import data
from tests.benchmarks.baseline.processor import processor_seconds
from tests.benchmarks.writing import upsert

LIMITS = {"merge all": 1.3, "merge columns": None, "update": 1.2, "delete": 1.2, "delete keys": 1.2}
CONDITION = "t.key = s.key AND t.part = s.part"


def main() -> None:
    """Run the benchmark and print one line of JSON per measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--batch", type=int, default=525_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--index", default="simple", choices=["bucket", "simple"])
    parser.add_argument("--case", nargs="*", default=list(LIMITS), choices=list(LIMITS))
    parser.add_argument("--table-type", default="COPY_ON_WRITE", choices=["COPY_ON_WRITE", "MERGE_ON_READ"])
    arguments = parser.parse_args()
    spark = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        base, batch = data.base(arguments.rows), data.batch(arguments.batch, arguments.rows)
        base_path, batch_path = data.store_batch(base, root / "base", files=8), data.store_batch(batch, root / "batch")
        original = root / "original"
        upsert.create(spark, original, arguments.index, base, base_path, table_type=arguments.table_type)
        del base, batch
        cases = jobs(spark, batch_path, arguments.index)
        for name in arguments.case:
            plain, ours = cases[name]
            found = measured(original, root, plain, ours, arguments.runs)
            print(json.dumps({**vars(arguments), "case": name, **found, "limit": LIMITS[name]}), flush=True)


def jobs(spark, batch_path: str, index: str) -> dict:
    """Return by name two functions of a path: the plain write, and the statement."""
    write, delete = upsert.options(index, "upsert"), upsert.options(index, "delete")

    def chosen(path):
        return hoodoo.read(spark, path, meta_columns=False).where("l2 < 10")

    def merge(path):
        return hoodoo.Table(path).merge(spark.read.parquet(batch_path), CONDITION)

    def merge_all(path):
        return merge(path).whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()

    def merge_columns(path):
        updated = merge(path).whenMatchedUpdate(set={"l2": "t.l2 + s.l2", "ts": "s.ts"})
        return updated.whenNotMatchedInsertAll().execute()

    def plain(path):
        return hoodoo.write(spark.read.parquet(batch_path), path, write)

    def delete_keys(path):
        return merge(path).whenMatchedDelete().execute()

    return {
        "merge all": (plain, merge_all),
        "merge columns": (plain, merge_columns),
        "update": (
            lambda path: hoodoo.write(chosen(path).selectExpr("* except (l1)", "l1 + 1 as l1"), path, write),
            lambda path: hoodoo.Table(path).update("l2 < 10", {"l1": "l1 + 1"}, spark=spark),
        ),
        "delete": (
            lambda path: hoodoo.write(chosen(path), path, delete),
            lambda path: hoodoo.Table(path).delete("l2 < 10", spark=spark),
        ),
        "delete keys": (plain, delete_keys),
    }


def measured(original: Path, root: Path, plain, ours, runs: int) -> dict:
    """Return times and ratios of a plain write and a statement, in turn; the first run is the warm-up."""
    times: list[list[tuple[float, float]]] = [[], []]
    for run in range(runs + 1):
        for which, work in enumerate((plain, ours)):
            copy = root / "copy"
            subprocess.run(["cp", "-al", str(original), str(copy)], check=True)
            start = time.perf_counter(), processor_seconds()
            work(copy)
            if run:
                times[which].append((time.perf_counter() - start[0], processor_seconds() - start[1]))
            shutil.rmtree(copy)
    wall, processor = (
        statistics.median(each[place] for each in times[1]) / statistics.median(each[place] for each in times[0])
        for place in (0, 1)
    )
    return {
        "plain_s": [round(each[0], 2) for each in times[0]],
        "statement_s": [round(each[0], 2) for each in times[1]],
        "ratio": round(wall, 2),
        "processor_ratio": round(processor, 2),
    }


if __name__ == "__main__":
    main()
