"""What executors call: tasks between Spark's Arrow batches and the write's own. No Spark session here."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import pyarrow as pa

from hoodoo.writing.output import WriteToken
from hoodoo.writing.plan import TaskPlan
from hoodoo.writing.remote import packed
from hoodoo.writing.tasks import MergeTask, RouteTask, TagTask

__all__ = ["merge_batches", "route_batches", "tag_batches"]

_T = TypeVar("_T")


def route_batches(
    text: str, names: list[str], shared: bool, batches: Iterable[tuple[pa.Array, ...]]
) -> Iterator[pa.Array]:
    """Routes of batches of key columns."""
    tables = (_table(names, arrays) for arrays in batches)
    for routes in _alone(lambda: RouteTask(_plan(text), shared)(tables)):
        yield pa.array(routes)


def tag_batches(text: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows with the slots of their file groups."""
    for table in _alone(lambda: TagTask(_plan(text), _token())(batches)):
        yield from table.to_batches()


def merge_batches(text: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One status row per file."""
    for status in _alone(lambda: MergeTask(_plan(text), _token())(batches)):
        yield pa.RecordBatch.from_pydict({"status": [status.to_json()]})


@functools.lru_cache(maxsize=4)
def _plan(text: str) -> TaskPlan:
    return TaskPlan.from_json(text)


def _token() -> WriteToken:
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is None:
        raise RuntimeError("a merge task runs inside a Spark task")
    return WriteToken(context.partitionId(), context.stageId(), context.taskAttemptId())


def _alone(work: Callable[[], Iterator[_T]]) -> Iterator[_T]:
    """One thread for pyarrow: Spark runs a worker per core already."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    # mimalloc, Arrow's first choice, keeps far more of what was freed between two batches of stored rows
    pa.set_memory_pool(pa.system_memory_pool())
    return packed(work)


def _table(names: list[str], arrays: tuple[pa.Array, ...] | pa.Array) -> pa.Table:
    if isinstance(arrays, pa.Array):  # Spark hands a single column over bare
        arrays = (arrays,)
    return pa.table(dict(zip(names or ["_"], arrays, strict=True)))
