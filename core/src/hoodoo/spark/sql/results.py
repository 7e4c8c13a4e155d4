"""DataFrames with the results of statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from hoodoo.writing.commit import Commit

__all__ = ["commit_frame", "empty_frame", "result_frame", "statement_frame"]

_COUNTS = (
    "inserted long, updated long, deleted long, overridden long, unchanged long, files_written long, files_left long, "
    "seconds double, instant string"
)


def result_frame(spark: SparkSession, columns: str, rows: Sequence[Sequence[Any]]) -> DataFrame:
    """Return a DataFrame of few rows; `columns` has the names and types of the columns."""
    return spark.createDataFrame([tuple(row) for row in rows], columns)


def empty_frame(spark: SparkSession) -> DataFrame:
    """Return the result of a statement without result rows: a DataFrame without rows and columns, as in Spark."""
    return spark.createDataFrame([], "")


def commit_frame(spark: SparkSession, commit: Commit) -> DataFrame:
    """Return the numbers of a commit as one row with the columns of the result of MERGE, null where none applies."""
    counts = (commit.rows_inserted, commit.rows_updated, commit.rows_deleted, commit.rows_ignored)
    row = (*counts, None, commit.files, None, commit.seconds, commit.instant)
    return result_frame(spark, _COUNTS, [row])


def statement_frame(spark: SparkSession, result: Any) -> DataFrame:
    """Return the result of a MERGE, UPDATE or DELETE as one row."""
    row = (
        result.inserted,
        result.updated,
        result.deleted,
        result.overridden,
        result.unchanged,
        result.files_written,
        result.files_left,
        result.seconds,
        result.commit.instant,
    )
    return result_frame(spark, _COUNTS, [row])
