"""An upsert and its reads with the installed packages; `python upsert.py PATH` prints `ok` if all rows are right."""

from __future__ import annotations

import sys

import duckdb
import hoodoo_duckdb

import hoodoo
from hoodoo.spark.session import local_session

OPTIONS = {"operation": "upsert", "table_name": "t", "record_key": "id", "partition_by": "part", "ordering": "ts"}
SCHEMA = "id string, part string, ts long, value string"
FIRST = [("a", "x", 10, "first"), ("b", "x", 10, "first"), ("c", "y", 10, "first")]
SECOND = [("a", "x", 20, "newer"), ("b", "x", 5, "late"), ("c", "y", 10, "tie"), ("d", "y", 1, "new")]
EXPECTED = [("a", "x", 20, "newer"), ("b", "x", 10, "first"), ("c", "y", 10, "tie"), ("d", "y", 1, "new")]


def main(path: str) -> None:
    """Write two batches and compare each way of reading with the rows that must be there."""
    spark = local_session("wheels", cores="2")
    try:
        for rows in (FIRST, SECOND):
            hoodoo.write(spark.createDataFrame(rows, SCHEMA), path, OPTIONS)
        names = ["id", "part", "ts", "value"]
        frames = {
            "hoodoo.read": hoodoo.read(spark, path),
            'spark.read.format("hoodoo")': spark.read.format("hoodoo").load(path),
        }
        found = {how: sorted(tuple(row) for row in df.select(*names).collect()) for how, df in frames.items()}
        table = hoodoo.Table(path).to_arrow(columns=names)
        found["hoodoo.Table"] = sorted(tuple(row[name] for name in names) for row in table.to_pylist())
        found["DuckDB"] = sorted(hoodoo_duckdb.relation(duckdb.connect(), path).select(*names).fetchall())
        wrong = {how: rows for how, rows in found.items() if rows != EXPECTED}
        if wrong:
            sys.exit(f"expected {EXPECTED}, found {wrong}")
    finally:
        spark.stop()
    print("ok")


if __name__ == "__main__":
    main(sys.argv[1])
