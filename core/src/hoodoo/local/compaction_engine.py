"""Engine of compactions without Spark: tasks run in threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pyarrow as pa
from attrs import frozen

from hoodoo.local.task_pool import TaskPool
from hoodoo.writing.data_files.task_attempt import WriteToken
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.tasks.slice_compaction import CompactTask

__all__ = ["LocalEngine"]


@frozen
class LocalEngine:
    """Compaction engine that runs the tasks in threads of this process, one per core."""

    def compact(self, tasks: Sequence[CompactTask], tag: str, progress: Callable[[], None]) -> list[FileStatus]:
        """Run each task once in a thread and return the status of each written file; `tag` is not used."""
        pool = TaskPool(pa.cpu_count(), progress)
        return pool.run([partial(task, WriteToken(number)) for number, task in enumerate(tasks)])
