"""Rows of a statement, which depend on the stored rows: they are made again for the timeline that the write pins."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import define, evolve, field
from pyspark.errors import (
    ArithmeticException,
    ArrayIndexOutOfBoundsException,
    DateTimeException,
    NumberFormatException,
    SparkRuntimeException,
)
from pyspark.sql import functions as F

from hoodoo.errors import DataError
from hoodoo.spark.spark_types import arrow_schema
from hoodoo.spark.write.batch import DataFrameBatch
from hoodoo.timeline import Timeline
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.tasks.stored_rows import Splits
from hoodoo.writing.write_spec import StatementSpec

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

__all__ = ["StatementBatch"]

_VALUE_ERRORS = (
    ArithmeticException,
    ArrayIndexOutOfBoundsException,
    DateTimeException,
    NumberFormatException,
    SparkRuntimeException,
)


@define(slots=False, kw_only=True)
class StatementBatch(DataFrameBatch):
    """Rows of a statement with the numbers of their clauses.

    Attributes:
        columns: The columns of the table after the statement.
        statement: The clauses.
        made: The function that makes the rows of the batch of the table at a timeline.
    """

    columns: StructType
    statement: StatementSpec
    made: Callable[[Timeline], DataFrame] = field(repr=False)

    @cached_property
    def schema(self) -> pa.Schema:
        """Return the columns of the table after the statement."""
        return arrow_schema(self.columns)

    def at(self, timeline: Timeline) -> StatementBatch:
        """Return the rows that the statement makes of the table at a timeline.

        Raises:
            CommitConflict: Another writer has changed the columns of the table since the statement was checked.
        """
        return evolve(self, df=self.made(timeline))

    def run(self, plan: TaskPlan, *, splits: Splits, arrival: str, progress: Callable[[], None]) -> list[FileStatus]:
        """Write the rows; see `hoodoo.writing.task_engine.Batch`.

        Raises:
            DataError: An expression has no value for a row: a division by zero, a number that does not fit.
        """
        try:
            return super().run(plan, splits=splits, arrival=arrival, progress=progress)
        except _VALUE_ERRORS as error:
            sentence = str(error).split("\n")[0]
            raise DataError(
                f"an expression of the statement has no value for a row: {sentence}", code="value"
            ) from error

    def _arrival(self, arrival: str) -> Column:
        # rows of one key are merged by their ordering values, or refused
        return F.lit(0).cast("long")
