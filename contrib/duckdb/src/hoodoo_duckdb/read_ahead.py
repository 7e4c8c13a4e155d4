"""Reading of splits by a few threads, ahead of the consumer, in bounded memory."""

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
"""Limit for the bytes of batches that wait for the consumer; each thread may have one more batch."""

MOST_THREADS = 8
"""Limit for threads: the consumer is single-threaded, and each thread may have the log records of a slice in memory."""


class Readable(Protocol):
    """An object that can be read as batches, such as a `hoodoo.reading.Split`."""

    def read(self) -> pa.RecordBatchReader:
        """Return a reader of the rows."""
        ...


def read_ahead(splits: Sequence[Readable], budget: int = BUDGET) -> Iterator[pa.RecordBatch]:
    """Yield the batches of all splits in the order in which they are read; batches of one split are in order.

    At most `budget` bytes of batches wait for the consumer, and one more batch for each thread; a batch that is larger
    than `budget` waits alone.

    Reading begins when the first batch is requested. When the iterator is closed, every thread stops after the batch
    that it is reading; closing does not wait for the threads.

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
    """Threads that read, and the batches that wait for the consumer."""

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
        """Start the given number of threads, which read the splits."""
        self._at_work = threads
        _unfinished.add(self)
        # a result that is not read to its end must not prevent the interpreter from ending
        self.threads = [Thread(target=self._work, name="hoodoo-duckdb", daemon=True) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def stop(self, error: BaseException | None = None) -> None:
        """Stop reading and drop the waiting batches; `batches` then raises the error, if there is one."""
        with self._changed:
            self._is_stopped = True
            self._error = self._error or error
            self.splits.clear()
            self._batches.clear()
            self._changed.notify_all()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches in the order in which they are read."""
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
        except BaseException as error:  # noqa: BLE001 - raised in `batches`
            self.stop(error)
        finally:
            with self._changed:
                self._at_work -= 1
                self._changed.notify_all()

    def _next_split(self) -> Readable | None:
        with self._changed:
            return self.splits.popleft() if self.splits else None

    def _put(self, batch: pa.RecordBatch) -> bool:
        """Wait for room, add a batch, and return True; return False without adding it if reading was stopped."""
        size = batch.nbytes
        with self._changed:
            # a batch that is larger than the budget goes through alone
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
    """Stop all threads, because threads that read Parquet during the shutdown of the interpreter crash it."""
    for reading in list(_unfinished):
        reading.stop(RuntimeError("the rows cannot be read, because the Python interpreter is ending"))
        for thread in reading.threads:
            thread.join()
