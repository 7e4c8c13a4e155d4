"""Processor seconds of writes and reads of tables with many columns, and those of pyarrow for one such file.

Half of the columns are numbers, half are texts. The tables have twenty rows, so that the time is the cost of the
columns. Each line of JSON is for one number of columns. `--opening` instead measures the opening of base files of
several numbers of columns and row groups: by pyarrow alone, by hoodoo, and by hoodoo for two of the columns and for all
of them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import hoodoo
from hoodoo.format.parquet.parquet_reader import open_parquet
from hoodoo.testing.engine import write_arrow

ROWS = 20
OPTIONS = {"table_name": "t", "record_key": "id", "ordering": "ts"}
PARTIAL = {"merger": "event-time-partial", "merger_options": {"partial": "ignore-defaults"}}
RULES: dict[str, dict[str, Any]] = {"commit-time": {}, "event-time": {}, "event-time-partial": PARTIAL}
FILES = [(10, 1), (10, 50), (100, 1), (100, 10), (100, 50), (1000, 1), (1000, 10), (1000, 50)]


def main() -> None:
    """Run the benchmark and print its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, nargs="*", default=[100, 1000, 3000, 10_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--opening", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.opening:
            for columns, groups in FILES:
                print(json.dumps(_opening(Path(folder), columns, groups, arguments.runs)), flush=True)
            return
        for columns in arguments.columns:
            runs = [_table(Path(folder) / f"{columns} {run}", columns) for run in range(arguments.runs)]
            least = {what: min(run[what] for run in runs) for what in runs[0]}
            print(json.dumps({"columns": columns, **least}), flush=True)


def _rows(columns: int, version: int) -> pa.Table:
    numbers, texts = pa.array(range(ROWS), pa.int64()), pa.array([f"{version}-{row}" for row in range(ROWS)])
    values = {f"column_{number}": texts if number % 2 else numbers for number in range(columns)}
    return pa.table({"id": [f"k{row}" for row in range(ROWS)], "ts": pa.array([version] * ROWS, pa.int64()), **values})


def _table(folder: Path, columns: int) -> dict[str, float]:
    folder.mkdir()
    seconds: dict[str, float] = {}

    def timed(what: str, work: Callable[[], Any]) -> None:
        start = time.process_time()
        work()
        seconds[what] = round(time.process_time() - start, 3)

    first, second, some = _rows(columns, 1), _rows(columns, 2), ["id", "column_0", f"column_{columns - 1}"]
    file = folder / "floor.parquet"
    timed("pyarrow writes", lambda: pq.write_table(first, file, compression="zstd", store_schema=False))
    timed("pyarrow reads", lambda: pq.ParquetFile(file).read(use_threads=False))
    for rule, options in RULES.items():
        path, wanted = folder / rule, OPTIONS | {"merger": rule} | options
        timed("create", lambda path=path, wanted=wanted: write_arrow(first, path, wanted, cores=1))
        timed(f"upsert by {rule}", lambda path=path, wanted=wanted: write_arrow(second, path, wanted, cores=1))
    timed("read", lambda: hoodoo.Table(folder / "event-time").to_arrow())
    timed("read three columns", lambda: hoodoo.Table(folder / "event-time").to_arrow(some))
    for log in ("avro", "parquet"):
        path, wanted = folder / log, OPTIONS | {"table_type": "merge-on-read", "log_format": log}
        write_arrow(first, path, wanted, cores=1)
        timed(f"{log} log: write", lambda path=path, wanted=wanted: write_arrow(second, path, wanted, cores=1))
        timed(f"{log} log: read", lambda path=path: hoodoo.Table(path).to_arrow())
        timed(f"{log} log: read three columns", lambda path=path: hoodoo.Table(path).to_arrow(some))
        timed(f"{log} log: explain", lambda path=path: str(hoodoo.Table(path).explain("k1")))
        timed(f"{log} log: compact", lambda path=path: hoodoo.Table(path).compact())
    return seconds


def _opening(folder: Path, columns: int, groups: int, runs: int) -> dict[str, Any]:
    path = folder / f"{columns} {groups}.parquet"
    rows = pa.concat_tables([_rows(columns, 1)] * groups)
    pq.write_table(rows, path, row_group_size=ROWS, compression="zstd", store_schema=False)
    two = rows.schema.names[:2]
    with pa.OSFile(str(path)) as source:
        ways = {
            "pyarrow": lambda: pq.ParquetFile(source),
            "hoodoo": lambda: open_parquet(source),
            "hoodoo, two columns": lambda: open_parquet(source, pa.schema([rows.schema.field(name) for name in two])),
            "hoodoo, all columns": lambda: open_parquet(source, rows.schema),
        }
        times = max(1, 20_000 // (columns * groups))
        micros = {way: round(min(_micros(open_, times) for _ in range(runs))) for way, open_ in ways.items()}
    return {"columns": columns, "row_groups": groups, "footer_bytes": _footer(path), "microseconds": micros}


def _micros(work: Callable[[], Any], times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - start) / times * 1e6


def _footer(path: Path) -> int:
    size: int = pq.read_metadata(path).serialized_size
    return size


if __name__ == "__main__":
    main()
