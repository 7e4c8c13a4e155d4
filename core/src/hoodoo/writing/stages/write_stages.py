"""Interface of the stages of a write, which depend on its index and operation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa
from attrs import define
from numpy.typing import NDArray

from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.shuffle_route import Router
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.tasks.group_merge import GroupMerge
from hoodoo.writing.tasks.stored_rows import Splits

__all__ = ["WriteStages"]


@define
class WriteStages:
    """Stages of a write.

    Before the first shuffle each row gets a route by its key columns. With `looks_up_first`, the tasks after that
    shuffle look keys up and assign to the rows the routes of their file groups, and a second shuffle follows. The last
    stage merges the rows of each partition and writes file groups.

    Attributes:
        plan: The plan of the write.
        looks_up_first: Whether keys are looked up in a separate stage.
        balances_by_size: Whether the tasks of the last stage get equal numbers of bytes, rather than file groups.
    """

    plan: TaskPlan
    looks_up_first: ClassVar[bool] = False
    balances_by_size: ClassVar[bool] = False

    def routes(self, partitions: pa.Array, keys: pa.Array) -> NDArray[np.int64]:
        """Return the routes of n rows by their partition paths and record keys."""
        return self.partition_router.routes(partitions, np.zeros(len(partitions), dtype=np.int32))

    def look_up(self, batches: Iterable[pa.RecordBatch], splits: Splits) -> Iterator[pa.Table]:
        """Yield rows with the route of their file group and the columns `lookup_fields`.

        Args:
            batches: Rows of this task, sorted by route.
            splits: Splits of the slices with logs that the task may read.

        Raises:
            NotImplementedError: The write has no look-up stage.
        """
        raise NotImplementedError(f"{type(self).__name__} has no look-up stage")

    def lookup_fields(self) -> list[pa.Field]:
        """Return the columns that `look_up` adds."""
        return []

    def partition_paths(self, merge: GroupMerge, rows: pa.Table) -> pa.Array:
        """Return the partition paths of the file groups to which rows are written."""
        return merge.incoming.partition_paths(rows)

    def write(self, merge: GroupMerge, partition: str, rows: pa.Table, keys: pa.Array) -> Iterator[FileStatus]:
        """Write rows of one partition and yield a status per file.

        Args:
            merge: Merge of incoming rows into file slices.
            partition: The partition path.
            rows: The incoming rows of the partition; after a look-up stage, with its columns `lookup_fields`.
            keys: The record key of each row.
        """
        raise NotImplementedError

    @cached_property
    def partition_router(self) -> Router:
        """Return the router by partition."""
        return Router.of_partitions(self.plan)

    @cached_property
    def group_router(self) -> Router:
        """Return the router by file group."""
        return Router.of_groups(self.plan)
