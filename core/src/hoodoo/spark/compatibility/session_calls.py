"""Calls of a session that differ between releases of PySpark: job tags, DataFrames of local rows, error conditions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from hoodoo.spark.pyspark_version import SESSION_CALLS
from hoodoo.spark.session_conf import is_connect, setting
from hoodoo.spark.spark_types import quoted, spark_schema

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["add_tag", "error_condition", "frame_of_literals", "frame_of_table", "inheriting", "interrupt_tag"]

_BATCH_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"


def add_tag(session: SparkSession, tag: str) -> None:
    """Add a tag to the jobs that this thread starts."""
    if is_connect(session):
        session.addTag(tag)
    else:
        # the tags of a classic session, which exist since 4.0, are not found by other threads; for `sparkContext` see
        # `ALLOWED` in tests/repository/architecture/test_imports.py
        session.sparkContext.addJobTag(tag)


def interrupt_tag(session: SparkSession, tag: str) -> None:
    """Cancel the running jobs with a tag, regardless of the thread that started them."""
    if is_connect(session):
        session.interruptTag(tag)
    else:
        session.sparkContext.cancelJobsWithTag(tag)


def inheriting(session: SparkSession, work: Callable[[], None]) -> Callable[[], None]:
    """Return a function for a new thread, which does the work with the tags of the calling thread.

    In a classic session the work also has the job group and the job description of the calling thread.
    """
    from pyspark import inheritable_thread_target

    if SESSION_CALLS.is_available():
        inherited: Callable[[], None] = inheritable_thread_target(session)(work)
        return inherited
    if not is_connect(session):
        return inheritable_thread_target(work)
    tags = session.getTags()

    def tagged() -> None:
        for tag in tags:
            session.addTag(tag)
        work()

    return tagged


def error_condition(error: PySparkException) -> str | None:
    """Return the name of the condition of an error, such as `PATH_NOT_FOUND`; None if it has none."""
    return error.getCondition() if SESSION_CALLS.is_available() else error.getErrorClass()


def frame_of_literals(spark: SparkSession, rows: pa.Table, sizes: Sequence[int]) -> DataFrame:
    """Return rows as literals of a query, so that a filter on them is evaluated before tasks start.

    Args:
        spark: The session, classic or Connect.
        rows: The rows; the first column has the number of each row, from 0. If PySpark does not support Arrow tables,
            all columns must be whole numbers.
        sizes: The numbers of rows of the relations to divide the rows into, at least one. Spark plans separate tasks
            for each relation.
    """
    ends = list(itertools.accumulate(sizes))
    if SESSION_CALLS.is_available():
        frame = frame_of_table(spark, rows)
        if len(sizes) == 1:
            return frame
        # Spark parses one SQL text in a third of the time for the same number of DataFrames
        number = rows.column_names[0]
        cut = [
            f"select * from {{rows}} where `{number}` between {end - size} and {end - 1}"  # noqa: S608 - numbers
            for end, size in zip(ends, sizes, strict=True)
        ]
        return spark.sql(" union all ".join(cut), rows=frame)
    texts = [f"({', '.join(map(str, row.values()))})" for row in rows.to_pylist()]
    names = ", ".join(quoted(rows.column_names))
    relations = [
        f"select * from values {', '.join(texts[end - size : end])} as rows({names})"  # noqa: S608 - numbers
        for end, size in zip(ends, sizes, strict=True)
    ]
    types = [field.dataType.simpleString() for field in spark_schema(rows.schema).fields]
    casts = [f"cast({name} as {type_}) as {name}" for name, type_ in zip(quoted(rows.column_names), types, strict=True)]
    return spark.sql(" union all ".join(relations)).selectExpr(*casts)


def frame_of_table(spark: SparkSession, rows: pa.Table) -> DataFrame:
    """Return an Arrow table as a DataFrame. If PySpark does not support this, each row becomes a Python object."""
    if not SESSION_CALLS.is_available():
        from pyspark.sql.pandas.types import from_arrow_schema

        columns = [[_python_value(value, column.type) for value in column.to_pylist()] for column in rows.columns]
        return spark.createDataFrame(list(zip(*columns, strict=True)), from_arrow_schema(rows.schema))
    if is_connect(spark) or int(spark.conf.get(_BATCH_ROWS) or 0) > 0:
        return spark.createDataFrame(rows)
    # 0 means no limit, which PySpark rejects here
    with setting(spark, _BATCH_ROWS, rows.num_rows):
        return spark.createDataFrame(rows)


def _python_value(value: Any, type_: pa.DataType) -> Any:
    """Return a value of `to_pylist` in which maps are dictionaries, as PySpark requires."""
    if value is None:
        return None
    if pa.types.is_map(type_):
        return {key: _python_value(item, type_.item_type) for key, item in value}
    if pa.types.is_struct(type_):
        return {field.name: _python_value(value[field.name], field.type) for field in type_}
    if pa.types.is_list(type_):
        return [_python_value(item, type_.value_type) for item in value]
    return value
