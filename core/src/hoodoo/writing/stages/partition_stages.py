"""Stages of a write whose tasks process all rows of a partition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from attrs import define, evolve
from numpy.typing import NDArray

from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.small_files import Packing, record_size
from hoodoo.writing.stages.slice_lookup import located
from hoodoo.writing.stages.write_stages import WriteStages
from hoodoo.writing.tasks.group_merge import GroupMerge

__all__ = ["BulkInsertStages", "DeletePartitionStages", "PartitionStages"]


@define
class PartitionStages(WriteStages):
    """Stages of a write without a look-up stage: a task has all rows of a partition, and looks keys up if required."""

    def write(self, merge: GroupMerge, partition: str, rows: pa.Table, keys: pa.Array) -> Iterator[FileStatus]:
        """Write rows of one partition and yield a status per file; new keys fill up small files, then new groups."""
        plan = self.plan
        records = merge.records(rows, keys)
        counted, folded = rows.num_rows, len(records)
        slices = plan.slices.get(partition, {})
        records, seconds = merge.without_stored(partition, slices.values(), records)
        new = np.ones(len(records), dtype=bool)
        members: dict[int, NDArray[np.int64]] = {}
        if plan.operation.merges:
            search = merge.writer.search(records.keys)
            members = located(plan, merge.attempt.storage, partition, slices, search)
            for positions in members.values():
                new[positions] = False
            seconds = search.seconds
            del search  # the copy of the keys is not needed while files are written
        inserts = new & ~records.is_delete
        if merge.writer.statement is not None:
            inserts &= merge.writer.statement.is_new(records)
        rest, filled = np.flatnonzero(inserts), set()
        for slot, capacity in Packing(plan).capacities(partition, record_size(plan, rows)):
            if not len(rest):
                break
            members[slot] = np.concatenate([members.get(slot, np.empty(0, np.int64)), rest[:capacity]])
            rest = rest[capacity:]
            filled.add(slot)
        # rows that lost within their batch, or were left out, are counted with the first file
        counted, ignored = counted - len(records), folded - len(records)
        for slot, mine in members.items():
            if len(mine):
                part = records.take(mine)
                status = merge.change_slice(partition, slices[slot], part, len(mine) + counted, fills=slot in filled)
                yield evolve(status, ignored=status.ignored + ignored, index_seconds=seconds)
                counted, ignored, seconds = 0, 0, 0.0
        absent = np.flatnonzero(new & ~inserts)
        if len(rest) or len(absent):
            rest = np.concatenate([rest, absent])
            for status in merge.writer.create(partition, records.take(rest), len(rest) + counted):
                yield evolve(status, ignored=status.ignored + ignored, index_seconds=seconds)
                counted, ignored, seconds = 0, 0, 0.0
        if counted:
            yield evolve(FileStatus.nothing_written(partition, counted, ignored), index_seconds=seconds)


@define
class BulkInsertStages(WriteStages):
    """Stages of a bulk_insert, which writes all rows to new file groups."""

    balances_by_size = True

    def write(self, merge: GroupMerge, partition: str, rows: pa.Table, keys: pa.Array) -> Iterator[FileStatus]:
        """Write rows of one partition and yield a status per file."""
        yield from merge.writer.create(partition, merge.records(rows, keys), rows.num_rows)


@define
class DeletePartitionStages(WriteStages):
    """Stages of a delete_partition, whose rows name the partitions and are not written."""

    def write(self, merge: GroupMerge, partition: str, rows: pa.Table, keys: pa.Array) -> Iterator[FileStatus]:
        """Yield one status without a file for the partition."""
        yield FileStatus.nothing_written(partition, rows.num_rows)
