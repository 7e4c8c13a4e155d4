"""Over Spark Connect: two upserts and a read, then a row that cannot be written. Prints what happened as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import hoodoo
from hoodoo.errors import DataError
from hoodoo.spark.session import prepare_environment

SCHEMA = "id string, part string, ts long, v struct<a:int,b:string>, t timestamp"


def main(path: str, options: dict[str, Any]) -> dict[str, Any]:
    """Write to the path and read back."""
    prepare_environment()
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    first = [("a", "x", 1, (1, "1"), None), ("b", "x", 5, None, None), ("c", "y", 3, (3, "3"), None)]
    second = [("a", "x", 2, (2, "2"), None), ("b", "x", 4, (9, "late"), None), ("d", "z", 1, (4, "4"), None)]
    commits = [hoodoo.write(_frame(spark, rows), path, options) for rows in (first, second)]
    facts = {
        "session": type(spark).__module__,
        "written": [[commit.rows_inserted, commit.rows_updated] for commit in commits],
        "read": _rows(hoodoo.read(spark, path, meta_columns=False)),
        "format": _rows(spark.read.format("hoodoo").option("columns", "id,ts,v").load(path)),
        "before": _rows(hoodoo.read(spark, path, columns=["id", "ts"], as_of=commits[0].instant)),
    }
    try:
        hoodoo.write(_frame(spark, [(None, "x", 9, None, None)]), path, options)
    except DataError as error:
        facts["error"] = [type(error).__name__, error.code, str(error)]
    facts["after_error"] = _rows(hoodoo.read(spark, path, meta_columns=False))
    return facts


def _frame(spark: SparkSession, rows: list[tuple[Any, ...]]) -> DataFrame:
    return spark.createDataFrame(rows, SCHEMA)


def _rows(frame: DataFrame) -> list[dict[str, Any]]:
    return sorted((row.asDict(recursive=True) for row in frame.collect()), key=lambda row: row["id"])


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], json.loads(sys.argv[2]))))
