"""Spark Connect: reads of tables with few and with many files, and of one that loses a file."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

import hoodoo
from hoodoo.spark.workers import divided_slices as divided
from hoodoo.spark.workers import split_rows
from hoodoo.spark.workers import worker_frame as workers
from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "ordering": "ts", "index": "bucket", "buckets": 40}


def main(spark: SparkSession, place: str) -> dict[str, Any]:
    """Return the rows of each query, read by Spark and without it, and the error for a table that lost a file."""
    folder = Path(place)
    new = {"buckets": 2, "table_type": "MERGE_ON_READ", "operation": "bulk_insert"}
    many, logs = folder / "many", folder / "logs"
    first = write_arrow(rows(range(400), 1), many, OPTIONS)
    write_arrow(rows(range(0, 400, 50), 2), many, OPTIONS)
    write_arrow(rows(range(4), 1), logs, OPTIONS | new)
    write_arrow(rows(range(2), 2), logs, OPTIONS | {"buckets": 2})
    queries: dict[str, tuple[Path, dict[str, Any]]] = {
        "many": (many, {}),
        "as of": (many, {"as_of": first.instant}),
        "incremental": (many, {"query_type": "incremental", "begin": first.instant}),
        "logs": (logs, {}),
        "changes in logs": (logs, {"query_type": "incremental", "begin": first.instant}),
        "read optimized": (logs, {"query_type": "read_optimized"}),
    }
    # as for large tables
    divided.LEAST_BYTES = split_rows.RELATION_BYTES = workers.SIZED_BYTES = 1
    facts: dict[str, Any] = {"session": type(spark).__module__}
    for name, (path, query) in queries.items():
        frame = hoodoo.read(spark, path, columns=["id", "ts"], **query)
        wanted = hoodoo.Table(path).to_arrow(["id", "ts"], **query)
        columns = wanted.to_pydict().values()
        facts[name] = [sorted(map(tuple, frame.collect())), sorted(zip(*columns, strict=True))]
    properties = logs / ".hoodie" / "hoodie.properties"
    properties.write_text(properties.read_text() + "hoodie.table.cdc.enabled=true\n")
    query = {"query_type": "incremental", "incremental_format": "cdc"}
    changes = [list(row.values()) for row in hoodoo.Table(logs).to_arrow(**query).to_pylist()]
    frame = hoodoo.read(spark, logs, **query)
    with contextlib.redirect_stdout(io.StringIO()) as plan:
        frame.explain()
    facts["plan"] = plan.getvalue()
    facts["changes"] = [sorted(map(list, frame.collect()), key=repr), sorted(changes, key=repr)]
    # the server may or may not cache the files that it listed for a frame
    spark.conf.set("spark.connect.session.planCache.enabled", "false")
    frame = hoodoo.read(spark, many)
    facts["before"] = int(frame.count())  # of NumPy in PySpark 3.5
    (many / (hoodoo.Table(many).splits()[0].path or "")).unlink()
    try:
        facts["after"] = int(frame.count())
    except Exception as error:  # noqa: BLE001 - the test checks which one
        facts["after"] = str(error)
    return facts


def rows(numbers: range, ts: int) -> pa.Table:
    """Return a row for each number, with ordering value `ts`."""
    return pa.table({"id": [f"k{n}" for n in numbers], "ts": pa.array([ts] * len(numbers), pa.int64())})
