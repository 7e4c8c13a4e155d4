"""Rows of a write in Arrow, and their distribution by route to tasks that run in threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from attrs import define, evolve, field

from hoodoo.bootstrap import BootstrapSource
from hoodoo.local.arrival_numbers import arrival_numbers
from hoodoo.local.deferred_syncs import DeferredSyncs
from hoodoo.local.memory_limit import default_batch_memory
from hoodoo.local.row_source import RowSource
from hoodoo.local.shuffle import Share, Shuffle
from hoodoo.local.stored_types import storable_schema, to_stored_types
from hoodoo.local.system_allocator import system_memory
from hoodoo.local.task_pool import TaskPool
from hoodoo.timeline import Timeline
from hoodoo.writing.data_files.task_attempt import WriteToken
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.stages.stage_tasks import LookupTask, MergeTask, RouteTask, stages_of
from hoodoo.writing.tasks.incoming_rows import ARRIVAL, ROUTE
from hoodoo.writing.tasks.stored_rows import Splits
from hoodoo.writing.write_spec import StatementSpec

__all__ = ["ArrowBatch"]


TASKS_PER_CORE = 8


def _source(rows: RowSource | pa.Table) -> RowSource:
    return rows if isinstance(rows, RowSource) else RowSource.of_table(rows)


@define(slots=False)
class ArrowBatch:
    """Rows in Arrow, in their order, for tasks that run in this process.

    Attributes:
        source: The rows, or a table of them.
        cores: The number of cores for which the write is planned.
        threads: The number of threads that run tasks.
        memory: Bytes of rows that are kept in memory; further rows are in temporary files.
        runs_here: Always True, because the tasks run in this process.
        statement: Always None, because the rows are those of a user.
        marks: Always empty, because a user cannot set internal options.
    """

    source: RowSource = field(converter=_source)
    cores: int = 2
    threads: int = 1
    memory: int = field(factory=default_batch_memory)
    runs_here: bool = field(default=True, init=False)
    statement: StatementSpec | None = field(default=None, init=False)
    marks: tuple[object, ...] = field(default=(), init=False)

    def at(self, timeline: Timeline) -> ArrowBatch:
        """Return the batch itself: its rows do not depend on the table."""
        return self

    @cached_property
    def schema(self) -> pa.Schema:
        """Return the columns without meta columns, as a table stores them.

        Raises:
            SchemaError: A table cannot have a column of this name or type.
        """
        return storable_schema(self.source.schema)

    def copying(self, source: BootstrapSource) -> ArrowBatch:
        """Return a batch with the rows of files, see `hoodoo.writing.task_engine.Batch`."""
        return evolve(self, source=RowSource(source.schema, source.rows))

    def parallelism(self) -> int:
        """Return the number of cores that the batch was created with."""
        return self.cores

    def tasks(self) -> int:
        """Return the number of tasks: many per core, so that the last tasks end at about the same time."""
        return TASKS_PER_CORE * self.cores

    def run(self, plan: TaskPlan, *, splits: Splits, arrival: str, progress: Callable[[], None]) -> list[FileStatus]:
        """Run the tasks, see `hoodoo.writing.task_engine.Batch`.

        The plan is converted to text and back, as on a cluster.
        """
        plan = TaskPlan.from_json(plan.to_json())
        stages, pool = stages_of(plan), TaskPool(self.threads, progress)
        deferred = DeferredSyncs() if self.threads > 1 else None
        with (
            system_memory(),
            TemporaryDirectory(prefix="hoodoo-", ignore_cleanup_errors=True) as folder,
            deferred or nullcontext(),
        ):
            rows = self._routed(plan, arrival, pool, Path(folder), self.memory // (2 if stages.looks_up_first else 1))
            if stages.looks_up_first:
                found = Shuffle(Path(folder) / "found", self.memory // 2)
                found.folder.mkdir()
                pool.run([partial(_look_up, plan, splits, share, pool, found) for share in rows.shares()])
                rows = found
            if stages.balances_by_size:
                shares = rows.balanced_shares(self.cores, divides_routes=not plan.operation.combines)
            else:
                shares = rows.shares()
            del rows
            statuses = [status for found in pool.run(_merges(plan, pool, shares, deferred)) for status in found]
            if deferred is not None:
                pool.run([deferred.wait])
            return statuses

    def _routed(self, plan: TaskPlan, arrival: str, pool: TaskPool, folder: Path, memory: int) -> Shuffle:
        """Return the rows with their routes."""
        shuffle, chunks = Shuffle(folder, memory), _Shared(self.source.chunks())

        def route() -> None:
            current: list[tuple[int, pa.Table]] = []

            def prepared() -> Iterator[pa.Table]:
                for number, first, rows in pool.stoppable(chunks):
                    typed = to_stored_types(rows, self.schema)
                    current.append((number, typed.append_column(ARRIVAL, arrival_numbers(typed, arrival, first))))
                    yield current[0][1]

            for routes in RouteTask(plan)(prepared()):
                number, rows = current.pop()
                shuffle.add((0, number), rows.append_column(ROUTE, pa.array(routes)))

        pool.run([route] * self.threads)
        return shuffle


@define
class _Shared:
    """Iterator over chunks that several threads share, with each chunk's number and the position of its first row."""

    _chunks: Iterator[pa.Table]
    _number: int = field(init=False, default=-1)
    _rows: int = field(init=False, default=0)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def __iter__(self) -> Iterator[tuple[int, int, pa.Table]]:
        return self

    def __next__(self) -> tuple[int, int, pa.Table]:
        with self._lock:
            rows = next(self._chunks)
            first = self._rows
            self._number, self._rows = self._number + 1, first + rows.num_rows
            return self._number, first, rows


def _look_up(plan: TaskPlan, splits: Splits, share: Share, pool: TaskPool, found: Shuffle) -> None:
    for number, rows in enumerate(LookupTask(plan, splits)(pool.stoppable(share.batches()))):
        found.add((share.task, number), rows)


def _merges(
    plan: TaskPlan, pool: TaskPool, shares: list[Share], sync: DeferredSyncs | None
) -> list[Callable[[], list[FileStatus]]]:
    def merge(share: Share) -> list[FileStatus]:
        return list(MergeTask(plan, WriteToken(share.task), sync)(pool.stoppable(share.batches())))

    return [partial(merge, share) for share in shares]
