"""Stages of a write with a global index, which looks keys up in all partitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define
from numpy.typing import NDArray

from hoodoo.index.index_types import GlobalIndex
from hoodoo.schema.columns import one_array
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.global_route import GlobalLookup
from hoodoo.writing.routing.partition_moves import COUNT, PARTITION, Moves, move_fields
from hoodoo.writing.routing.shuffle_route import pack_route
from hoodoo.writing.stages.shared_partition_stages import slots_of
from hoodoo.writing.stages.write_stages import WriteStages
from hoodoo.writing.tasks.group_merge import GroupMerge, take_rows
from hoodoo.writing.tasks.incoming_rows import SLOT
from hoodoo.writing.tasks.stored_rows import Splits

__all__ = ["GlobalStages"]


@define
class GlobalStages(WriteStages):
    """Stages of a write with a global index: rows are distributed by hash of the key, then by file group.

    Attributes:
        index: The global index, which distributes keys to the look-up tasks.
    """

    looks_up_first = True

    index: GlobalIndex

    def routes(self, partitions: pa.Array, keys: pa.Array) -> NDArray[np.int64]:
        """Return routes by the hash of the key, for the look-up."""
        task = self.index.tasks(keys, self.plan.distribution.searchers)
        return pack_route(task, np.zeros_like(task))

    def look_up(self, batches: Iterable[pa.RecordBatch], splits: Splits) -> Iterator[pa.Table]:
        """Yield rows with the routes of their file groups, and further rows for moves."""
        return GlobalLookup(self.plan, splits)(batches)

    def lookup_fields(self) -> list[pa.Field]:
        """Return the columns that the look-up adds."""
        return [pa.field(SLOT, pa.int32()), *move_fields(self.plan.table.schema)]

    def partition_paths(self, merge: GroupMerge, rows: pa.Table) -> pa.Array:
        """Return the partition paths that the look-up chose."""
        return one_array(rows.column(PARTITION))

    def write(self, merge: GroupMerge, partition: str, rows: pa.Table, keys: pa.Array) -> Iterator[FileStatus]:
        """Write the looked-up rows of one partition and yield a status per file."""
        for slot, positions, fills in slots_of(rows):
            mine, mine_keys = take_rows(rows, keys, positions)
            counted = pc.sum(mine.column(COUNT)).as_py()
            moved = Moves.of(self.plan, merge.rule, mine, mine_keys)
            if moved is not None:
                merged = pa.array(Moves.others(mine))
                mine, mine_keys = mine.take(merged).combine_chunks(), mine_keys.take(merged)
            # rows of one key were compared over all partitions, by the look-up
            records = merge.records(mine, mine_keys, compares=False)
            ref = merge.slice_of(partition, slot)
            if not len(records) and moved is None:
                yield FileStatus.nothing_written(partition, counted)
            elif ref is not None:
                yield merge.write_slice(partition, ref, records, counted, fills=fills, moved=moved)
            else:
                yield from merge.writer.create(partition, records, counted, moved)
