"""Rows of a statement, which depend on stored rows and are computed again for the timeline of the write."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import define, evolve, field
from pyspark.sql import functions as F

from hoodoo.errors import DataError
from hoodoo.spark.compatibility.value_errors import value_error
from hoodoo.spark.spark_types import arrow_schema
from hoodoo.spark.write.batch import DataFrameBatch
from hoodoo.timeline import Instant, Timeline
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.tasks.stored_rows import Splits
from hoodoo.writing.write_spec import StatementSpec

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

__all__ = ["StatementBatch"]


@define(slots=False, kw_only=True)
class StatementBatch(DataFrameBatch):
    """Rows of a statement with the numbers of their clauses.

    Attributes:
        columns: The columns of the table after the statement.
        statement: The actions of the clauses, and the treatment of rows with the same key.
        made: The function that returns the rows of the batch for the table on a timeline.
        checked: The timeline of the table for which the rows of the batch were computed.
    """

    columns: StructType
    statement: StatementSpec
    made: Callable[[Timeline], DataFrame] = field(repr=False)
    checked: Timeline = field(repr=False)

    @cached_property
    def schema(self) -> pa.Schema:
        """Return the columns of the table after the statement."""
        return arrow_schema(self.columns)

    def at(self, timeline: Timeline) -> StatementBatch:
        """Return the rows of the statement for the table on a timeline.

        Raises:
            CommitConflict: Another writer has changed the columns of the table since the statement was checked.
        """
        if _completed(timeline) == _completed(self.checked):
            # Spark takes seconds to analyse the clauses of a table with many columns
            return self
        return evolve(self, df=self.made(timeline))

    def run(self, plan: TaskPlan, *, splits: Splits, arrival: str, progress: Callable[[], None]) -> list[FileStatus]:
        """Write the rows; see `hoodoo.writing.task_engine.Batch`.

        Raises:
            DataError: An expression has no value for a row, such as a division by zero or an overflow.
        """
        try:
            return super().run(plan, splits=splits, arrival=arrival, progress=progress)
        except Exception as error:
            sentence = value_error(error)
            if sentence is None:
                raise
            raise DataError(
                f"an expression of the statement has no value for a row: {sentence}", code="value"
            ) from error

    def _arrival(self, arrival: str) -> Column:
        if self.statement.keeps_keys:
            # the keys of new rows
            return F.monotonically_increasing_id()
        # rows of one key are merged by their ordering values, or rejected
        return F.lit(0).cast("long")


def _completed(timeline: Timeline) -> tuple[Instant, ...]:
    return tuple(instant for instant in timeline.instants if instant.is_completed)
