"""Interface of an engine that runs the tasks of a write, such as Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import pyarrow as pa

from hoodoo.bootstrap import BootstrapSource
from hoodoo.timeline import Timeline
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.tasks.stored_rows import Splits
from hoodoo.writing.write_spec import StatementSpec

__all__ = ["Batch"]


class Batch(Protocol):
    """Rows of one write. They are evaluated once, by `run`."""

    @property
    def statement(self) -> StatementSpec | None:
        """Return the statement that produces the rows; None for rows of a user."""
        ...

    @property
    def marks(self) -> tuple[object, ...]:
        """Return internal options of the write, such as `HasStoredKeys`, which a user cannot set."""
        ...

    def at(self, timeline: Timeline) -> Batch:
        """Return the batch with its rows for the state of the table at `timeline`, with which the write is planned.

        Raises:
            CommitConflict: The table has other columns than those for which the batch was made.
        """
        ...

    @property
    def schema(self) -> pa.Schema:
        """Return the names and types of the columns, without meta columns."""
        ...

    def copying(self, source: BootstrapSource) -> Batch:
        """Return a batch with the rows of files instead of the rows of this batch, which are not evaluated.

        Raises:
            SchemaError: A table cannot have a column of the files.
        """
        ...

    @property
    def runs_here(self) -> bool:
        """Return whether the tasks run in this process, and have ended when `run` returns or raises."""
        ...

    def parallelism(self) -> int:
        """Return the number of tasks that can run at once."""
        ...

    def tasks(self) -> int:
        """Return the number of tasks over which file groups are distributed, a multiple of `parallelism`."""
        ...

    def run(self, plan: TaskPlan, *, splits: Splits, arrival: str, progress: Callable[[], None]) -> list[FileStatus]:
        """Run the plan's tasks over the rows and return a status per file.

        Args:
            plan: The plan of the write, which tasks receive as text.
            splits: Splits of the slices with logs that tasks may read, by partition and file id.
            arrival: `position`, `content`, or the name of a column.
            progress: Function to call periodically while the tasks run.

        Raises:
            HoodooError: The error of a task, with its type.
        """
        ...
