"""Spark Connect: two upserts and a read of each table, then a row that cannot be written."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession

import hoodoo
from hoodoo.errors import DataError
from hoodoo.spark.pyspark_version import DATA_SOURCES

SCHEMA = "id string, part string, ts long, v struct<a:int,b:string>"


def main(spark: SparkSession, tables: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the facts about each table; `tables` has the options of each by its path."""
    return {path: exercise(spark, path, options) for path, options in tables.items()}


def exercise(spark: SparkSession, path: str, options: dict[str, Any]) -> dict[str, Any]:
    """Write to a table and read from it, and return the facts."""
    first = [("a", "x", 1, (1, "1")), ("b", "x", 5, None), ("c", "y", 3, (3, "3"))]
    second = [("a", "x", 2, (2, "2")), ("b", "x", 4, (9, "late")), ("d", "z", 1, (4, "4"))]
    commits = [hoodoo.write(frame(spark, rows), path, options) for rows in (first, second)]
    facts: dict[str, Any] = {
        "session": type(spark).__module__,
        "written": [[commit.rows_inserted, commit.rows_updated] for commit in commits],
        "read": collected(hoodoo.read(spark, path, meta_columns=False)),
        "before": collected(hoodoo.read(spark, path, columns=["id", "ts"], as_of=commits[0].instant)),
    }
    if DATA_SOURCES.is_available():
        facts["format"] = collected(spark.read.format("hoodoo").option("columns", "id,ts,v").load(path))
    try:
        hoodoo.write(frame(spark, [(None, "x", 9, None)]), path, options)
    except DataError as error:
        facts["error"] = {"code": error.code, "message": str(error)}
    facts["after_error"] = collected(hoodoo.read(spark, path, meta_columns=False))
    deleted = hoodoo.writer(frame(spark, second[2:])).options(operation="delete").save(path)
    facts["deleted"] = deleted.rows_deleted
    return facts


def frame(spark: SparkSession, rows: list[tuple[Any, ...]]) -> DataFrame:
    """Return rows as a DataFrame."""
    return spark.createDataFrame(rows, SCHEMA)


def collected(frame: DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a DataFrame, ordered by id."""
    return sorted((row.asDict(recursive=True) for row in frame.collect()), key=lambda row: row["id"])
