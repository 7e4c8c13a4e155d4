"""Tasks of a write over Arrow batches: routing of rows, look-up of keys, merging and writing of file groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa
from attrs import define, evolve, field
from numpy.typing import NDArray

from hoodoo.index.index_types import BucketIndex, GlobalIndex
from hoodoo.keys.partition_path import check_partition_paths
from hoodoo.storage import Storage
from hoodoo.writing.arrow_limits import large_columns_named
from hoodoo.writing.data_files.data_file import DataFiles, StoredFiles
from hoodoo.writing.data_files.returned_files import ReturnedFiles
from hoodoo.writing.data_files.task_attempt import TaskAttempt, WriteToken
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.stages.bucket_stages import BucketStages
from hoodoo.writing.stages.global_stages import GlobalStages
from hoodoo.writing.stages.partition_stages import BulkInsertStages, DeletePartitionStages, PartitionStages
from hoodoo.writing.stages.rows_by_partition import rows_by_partition
from hoodoo.writing.stages.shared_partition_stages import SharedPartitionStages
from hoodoo.writing.stages.write_stages import WriteStages
from hoodoo.writing.tasks.group_merge import GroupMerge
from hoodoo.writing.tasks.incoming_rows import Incoming, runs
from hoodoo.writing.tasks.stored_rows import Splits

__all__ = ["LookupTask", "MergeTask", "RouteTask", "stages_of"]


def stages_of(plan: TaskPlan) -> WriteStages:
    """Return the stages of a write, by its operation, the type of its index and its distribution."""
    if plan.operation.name == "delete_partition":
        return DeletePartitionStages(plan)
    if isinstance(plan.index, BucketIndex):
        return BucketStages(plan, plan.index)
    if plan.spans_partitions and isinstance(plan.index, GlobalIndex):
        return GlobalStages(plan, plan.index)
    if plan.operation.name == "bulk_insert":
        return BulkInsertStages(plan)
    return SharedPartitionStages(plan) if plan.distribution.shares_partitions else PartitionStages(plan)


@define
class RouteTask:
    """Task that routes rows by their key columns, before the first shuffle.

    Attributes:
        plan: The plan of the write.
    """

    plan: TaskPlan

    def __call__(self, batches: Iterable[pa.Table]) -> Iterator[NDArray[np.int64]]:
        """Yield the routes of each batch of key columns.

        Raises:
            DataError: A value cannot be part of a record key or a partition path, such as a null key.
            SchemaError: A column has a type that cannot be part of a key or a path.
            PluginFault: The key generator failed, or returned a wrong result.
        """
        incoming, stages = Incoming(self.plan, self.plan.rule.make_rule()), stages_of(self.plan)
        for rows in batches:
            incoming.check_key_text(rows)
            partitions = incoming.partition_paths(rows)
            check_partition_paths(partitions)
            incoming.check_path_values(rows, partitions)
            yield stages.routes(partitions, incoming.record_keys(rows))


@define
class LookupTask:
    """Task that looks keys up before the rows are shuffled by file group.

    Attributes:
        plan: The plan of the write.
        splits: Splits of the slices with logs that the task may read.
    """

    plan: TaskPlan
    splits: Splits = field(factory=dict)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
        """Yield the rows with the routes of their file groups."""
        with large_columns_named(self.plan.table.schema):
            yield from stages_of(self.plan).look_up(batches, self.splits)


@define
class MergeTask:
    """Task that merges and writes the file groups of the rows that it receives, in order of their routes.

    Attributes:
        plan: The plan of the write.
        token: The write token of the attempt.
        sync: Function of a storage and a path that makes the written file durable; by default `Storage.sync`.
        splits: Splits for reading the slices with logs to which a statement appends.
    """

    plan: TaskPlan
    token: WriteToken
    sync: Callable[[Storage, str], None] | None = None
    splits: Splits = field(factory=dict)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[FileStatus]:
        """Merge and write the rows, and yield one status per file."""
        storage = self.plan.table.open_storage()
        attempt = TaskAttempt(storage, self.token, self._files(storage))
        merge, stages = GroupMerge(self.plan, attempt, self.splits), stages_of(self.plan)
        with large_columns_named(self.plan.table.schema):
            for run in runs(batches):
                yield from self._run(merge, stages, run)
                del run  # freed before the rows of the next one are read

    def _files(self, storage: Storage) -> DataFiles:
        if self.plan.returned_bytes:
            return ReturnedFiles(storage, self.plan.returned_bytes)
        return StoredFiles(storage, partial(self.sync, storage) if self.sync else storage.sync)

    def _run(self, merge: GroupMerge, stages: WriteStages, run: pa.Table) -> Iterator[FileStatus]:
        if self.plan.groups_by_value:  # otherwise the routing stage has checked the rows
            merge.incoming.check_key_text(run)
        paths = stages.partition_paths(merge, run)
        if self.plan.groups_by_value:
            merge.incoming.check_path_values(run, paths)
        for partition, rows in rows_by_partition(run, paths):
            origin = merge.writer.collisions.origin(partition, rows)
            for status in stages.write(merge, partition, rows, merge.incoming.record_keys(rows)):
                yield evolve(status, origin=origin)
                origin = None
