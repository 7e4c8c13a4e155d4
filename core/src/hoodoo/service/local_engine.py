"""Engine of table services without Spark: tasks run in threads of this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from attrs import frozen

from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.tasks.slice_compaction import CompactTask
from hoodoo.writing.tasks.task_attempt import WriteToken

__all__ = ["LocalEngine"]


@frozen
class LocalEngine:
    """Compaction engine that runs the tasks in threads of this process, one per core."""

    def compact(self, tasks: Sequence[CompactTask], tag: str, progress: Callable[[], None]) -> list[FileStatus]:
        """Run each task once in a thread and return the status of each written file."""
        statuses = []
        with ThreadPoolExecutor(max_workers=min(len(tasks), os.cpu_count() or 1)) as pool:
            running = [pool.submit(task, WriteToken(number)) for number, task in enumerate(tasks)]
            for finished in as_completed(running):
                statuses.append(finished.result())
                progress()
        return statuses
