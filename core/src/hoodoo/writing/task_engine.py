"""What runs a write's tasks: Spark, or anything that can group rows by a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import pyarrow as pa

from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import TaskPlan

__all__ = ["Batch"]


class Batch(Protocol):
    """The rows of one write, wherever they are. They are evaluated once, by `run`."""

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns, without meta columns."""
        ...

    def parallelism(self) -> int:
        """How many tasks can run at once."""
        ...

    def run(self, plan: TaskPlan, *, shared: bool, arrival: str, progress: Callable[[], None]) -> list[FileStatus]:
        """Run the plan's tasks over the rows and return what they wrote.

        Args:
            plan: What tasks are told.
            shared: Whether several tasks share a partition, which costs a second shuffle (not with a bucket index).
            arrival: `position`, `content`, or the name of a column.
            progress: Called now and then while it runs.

        Raises:
            HoodooError: what a task raised, as the error that it was.
        """
        ...
