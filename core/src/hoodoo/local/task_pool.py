"""Execution of tasks in threads of this process, with results in order and progress in the calling thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

from attrs import define, field

__all__ = ["TaskPool", "TaskStopped"]

POLL_SECONDS = 0.2

_T = TypeVar("_T")


class TaskStopped(Exception):
    """End of a task because another task failed, or because the calling thread was interrupted."""


@define
class TaskPool:
    """Threads that run tasks. The first error stops the other tasks, and is raised when all of them have ended.

    Attributes:
        threads: Number of tasks that run at once. With 1, tasks run in the calling thread, one after the other.
        progress: Function to call after each task and, with several threads, at intervals.
    """

    threads: int
    progress: Callable[[], None]
    _stopped: threading.Event = field(init=False, factory=threading.Event, repr=False)

    def run(self, tasks: Sequence[Callable[[], _T]]) -> list[_T]:
        """Run each task once and return the results in the order of the tasks; raise the first error of a task."""
        if self.threads == 1:
            return [self._ticked(task()) for task in tasks]
        if not tasks:
            return []
        with ThreadPoolExecutor(min(self.threads, len(tasks)), thread_name_prefix="hoodoo") as pool:
            futures = [pool.submit(task) for task in tasks]
            waiting = set(futures)
            try:
                while waiting:
                    done, waiting = wait(waiting, POLL_SECONDS, FIRST_COMPLETED)
                    for future in done:
                        self._ticked(future.result())
                    if not done:
                        self.progress()
            except BaseException:
                # the end of the block waits for the running tasks, which stop at their next batch
                self._stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return [future.result() for future in futures]

    def stoppable(self, items: Iterable[_T]) -> Iterator[_T]:
        """Yield the items for a task, which ends at the next item when the pool stops.

        Raises:
            TaskStopped: The pool stops.
        """
        for item in items:
            if self._stopped.is_set():
                raise TaskStopped
            yield item

    def _ticked(self, result: _T) -> _T:
        self.progress()
        return result
