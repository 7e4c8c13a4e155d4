"""Prefetch of splits by a few threads, in bounded memory."""

from __future__ import annotations

import atexit
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from threading import Condition, Thread
from typing import Protocol

import pyarrow as pa
from attrs import define, field

__all__ = ["BUDGET", "MOST_THREADS", "read_ahead"]

BUDGET = 128 * 1024 * 1024
"""The maximum bytes of batches in the queue; each thread holds one more batch."""

MOST_THREADS = 8
"""The maximum number of threads. One thread consumes the rows, and each one may hold the log records of a slice."""


class Readable(Protocol):
    """Object that can be read as batches, such as a `hoodoo.reading.Split`."""

    def read(self) -> pa.RecordBatchReader:
        """Return the rows."""
        ...


def read_ahead(splits: Sequence[Readable], budget: int = BUDGET) -> Iterator[pa.RecordBatch]:
    """Yield the batches of all splits; those of one split in order, different splits in any order.

    The threads start with the first batch. When the iterator is closed, each thread stops after its current batch; the
    close does not wait for that.

    Raises:
        HoodooError: A split cannot be read.
    """
    if not splits:
        return
    reading = _Reading(deque(splits), budget)
    reading.start(min(len(splits), pa.cpu_count(), MOST_THREADS))
    try:
        yield from reading.batches()
    finally:
        reading.stop()


@define(eq=False)
class _Reading:
    """Reading threads, and the queue of batches between them and the consumer."""

    splits: deque[Readable]
    budget: int
    threads: list[Thread] = field(init=False, factory=list)
    _batches: deque[pa.RecordBatch] = field(init=False, factory=deque)
    _held: int = field(init=False, default=0)
    _at_work: int = field(init=False, default=0)
    _is_stopped: bool = field(init=False, default=False)
    _error: BaseException | None = field(init=False, default=None)
    _changed: Condition = field(init=False, factory=Condition)

    def start(self, threads: int) -> None:
        """Start the threads."""
        self._at_work = threads
        _unfinished.add(self)
        # a result that is not read to its end must not prevent the exit of the interpreter
        self.threads = [Thread(target=self._work, name="hoodoo-duckdb", daemon=True) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def stop(self, error: BaseException | None = None) -> None:
        """Stop the threads and drop the queue; the consumer gets only the error, if there is one."""
        with self._changed:
            self._is_stopped = True
            self._error = self._error or error
            self.splits.clear()
            self._batches.clear()
            self._changed.notify_all()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches in order of arrival."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._batches or self._is_stopped or not self._at_work)
                if self._error is not None:
                    raise self._error
                if not self._batches:
                    return
                batch = self._batches.popleft()
                self._held -= batch.nbytes
                self._changed.notify_all()
            yield batch

    def _work(self) -> None:
        try:
            while split := self._next_split():
                with split.read() as reader:
                    for batch in reader:
                        if not self._put(batch):
                            break
        except BaseException as error:  # noqa: BLE001 - raised in the consumer
            self.stop(error)
        finally:
            with self._changed:
                self._at_work -= 1
                self._changed.notify_all()

    def _next_split(self) -> Readable | None:
        with self._changed:
            return self.splits.popleft() if self.splits else None

    def _put(self, batch: pa.RecordBatch) -> bool:
        """Wait for space and add a batch; return False if the consumer stopped."""
        size = batch.nbytes
        with self._changed:
            # a batch that is larger than the budget is queued alone
            self._changed.wait_for(lambda: self._is_stopped or not self._held or self._held + size <= self.budget)
            if self._is_stopped:
                return False
            self._batches.append(batch)
            self._held += size
            self._changed.notify_all()
        return True


_unfinished: weakref.WeakSet[_Reading] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Stop the threads at exit: a thread that reads Parquet during the shutdown of the interpreter would crash it."""
    for reading in list(_unfinished):
        reading.stop(RuntimeError("the interpreter is ending"))
        for thread in reading.threads:
            thread.join()
