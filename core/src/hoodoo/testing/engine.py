"""The write's tasks in this process, over an Arrow table: what Spark does, without Spark, for fast tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define
from numpy.typing import NDArray

from hoodoo.schema.avro_encode import stored_schema
from hoodoo.schema.columns import column_at
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.service import LocalEngine
from hoodoo.write_job import run_job
from hoodoo.writing.commit import Commit
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.shuffle_route import bin_of
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.stages.stage_tasks import LookupTask, MergeTask, RouteTask, stages_of
from hoodoo.writing.tasks.incoming_rows import ARRIVAL, ROUTE
from hoodoo.writing.tasks.stored_rows import Splits
from hoodoo.writing.tasks.task_attempt import WriteToken
from hoodoo.writing.write import no_progress

__all__ = ["ArrowBatch", "write_arrow"]


def write_arrow(table: pa.Table, path: Any, options: Mapping[str, Any], mode: str = "append", cores: int = 2) -> Commit:
    """Write Arrow rows as `hoodoo.write` writes a DataFrame's, services that the options ask for included."""
    return run_job(ArrowBatch(table, cores), path, options, mode, LocalEngine(), no_progress)


@define
class ArrowBatch:
    """The rows of an Arrow table, in their order, for tasks that run one after the other."""

    table: pa.Table
    cores: int = 2

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns, without meta columns."""
        return stored_schema(self._data().schema)

    def parallelism(self) -> int:
        """As given."""
        return self.cores

    def run(self, plan: TaskPlan, *, splits: Splits, arrival: str, progress: Callable[[], None]) -> list[FileStatus]:
        """See `hoodoo.writing.task_engine.Batch`; the plan goes through its text form, as on a cluster."""
        plan = TaskPlan.from_json(plan.to_json())
        data = self._data()
        numbers = np.arange(data.num_rows) if arrival == "position" else _numbers(data, arrival)
        rows = data.append_column(ARRIVAL, pa.array(numbers, pa.int64()))
        routes = np.concatenate([*RouteTask(plan)([rows]), np.empty(0, dtype=np.int64)])
        rows = rows.append_column(ROUTE, pa.array(routes))
        if stages_of(plan).looks_up_first:
            found = [
                table
                for _, part in _shuffled(rows)
                for table in LookupTask(plan, splits)(part.to_batches(max_chunksize=1000))
            ]
            rows = pa.concat_tables(found) if found else rows
        statuses: list[FileStatus] = []
        for task, part in _shuffled(rows):
            statuses += MergeTask(plan, WriteToken(task))(part.to_batches(max_chunksize=1000))
            progress()
        return statuses

    def _data(self) -> pa.Table:
        return self.table.drop_columns([name for name in META_COLUMNS if name in self.table.column_names])


def _numbers(data: pa.Table, arrival: str) -> NDArray[np.int64]:
    column = column_at(data, arrival)
    if column is None:
        raise ValueError(f"this engine takes 'position' or a column as arrival, not {arrival!r}")
    numbers: NDArray[np.int64] = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers


def _shuffled(rows: pa.Table) -> Iterator[tuple[int, pa.Table]]:
    bins = pa.array(bin_of(rows.column(ROUTE).to_numpy()))
    for task in bins.unique().to_pylist():
        mine = rows.filter(pc.equal(bins, task))
        yield task, mine.take(pc.sort_indices(mine, [(ROUTE, "ascending"), (ARRIVAL, "ascending")]))
