"""Stages of a write of few partitions, each of which several tasks share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from attrs import define
from numpy.typing import NDArray

from hoodoo.index.bucket_index import bucket_ids
from hoodoo.index.key_lookup import IncomingKeySearch
from hoodoo.schema.columns import one_array
from hoodoo.storage import Storage
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.shuffle_route import PACKED, ordinal_of, pack_route
from hoodoo.writing.routing.small_files import Packing, record_size
from hoodoo.writing.stages.rows_by_partition import rows_by_partition
from hoodoo.writing.stages.slice_lookup import located
from hoodoo.writing.stages.write_stages import WriteStages
from hoodoo.writing.tasks.group_merge import GroupMerge, take_rows
from hoodoo.writing.tasks.incoming_rows import ROUTE, SLOT, Incoming, has_clause_if_new, runs
from hoodoo.writing.tasks.stored_rows import Splits

__all__ = ["SharedPartitionStages", "slots_of"]

CHUNK_ROWS = 256 * 1024


@define
class SharedPartitionStages(WriteStages):
    """Stages of a write with a look-up stage: rows are distributed by hash of the key, then by file group."""

    looks_up_first = True

    def routes(self, partitions: pa.Array, keys: pa.Array) -> NDArray[np.int64]:
        """Return routes by partition and hash of the key, for the look-up."""
        by_partition = self.partition_router.routes(partitions, np.zeros(len(partitions), dtype=np.int32))
        task = bucket_ids(keys, self.plan.distribution.bins).astype(np.int64)
        return pack_route(task, ordinal_of(by_partition))

    def look_up(self, batches: Iterable[pa.RecordBatch], splits: Splits) -> Iterator[pa.Table]:
        """Yield rows with route and slot of their file group; a row whose key is stored twice is repeated.

        A row of a statement is left out if its key is new and it has no clause for a new key. Other new keys get their
        slots by hash; the number of new file groups is estimated, see `Packing`.
        """
        incoming = Incoming(self.plan, self.plan.rule.make_rule())
        storage = self.plan.table.open_storage()
        packing = Packing(self.plan, share=self.plan.distribution.bins)
        for run in runs(batches):
            for start in range(0, run.num_rows, CHUNK_ROWS):
                chunk = run.slice(start, CHUNK_ROWS)
                for partition, rows in rows_by_partition(chunk, incoming.partition_paths(chunk)):
                    yield self._tagged(storage, packing, partition, rows, incoming.record_keys(rows))

    def lookup_fields(self) -> list[pa.Field]:
        """Return the columns that the look-up adds."""
        return [pa.field(SLOT, pa.int32())]

    def write(self, merge: GroupMerge, partition: str, rows: pa.Table, keys: pa.Array) -> Iterator[FileStatus]:
        """Write looked-up rows of one partition and yield a status per file."""
        for slot, positions, fills in slots_of(rows):
            mine, mine_keys = take_rows(rows, keys, positions)
            records = merge.records(mine, mine_keys)
            ref = merge.slice_of(partition, slot)
            if not len(records):
                yield FileStatus.nothing_written(partition, mine.num_rows)
            elif ref is not None:
                yield merge.write_slice(partition, ref, records, mine.num_rows, fills=fills)
            else:
                yield from merge.writer.create(partition, records, mine.num_rows)

    def _tagged(self, storage: Storage, packing: Packing, partition: str, rows: pa.Table, keys: pa.Array) -> pa.Table:
        position, slot, new = np.empty(0, np.int64), np.empty(0, np.int32), np.ones(len(keys), dtype=bool)
        if self.plan.operation.looks_up:
            search = IncomingKeySearch(storage, keys, self.plan.index, self.plan.stored_keys)
            slices = self.plan.slices.get(partition, {})
            for number, found in located(self.plan, storage, partition, slices, search).items():
                new[found] = False
                position = np.concatenate([position, found])
                slot = np.concatenate([slot, np.full(len(found), number, dtype=np.int32)])
        # a row without a clause must not fill up a file
        fresh = np.flatnonzero(new & has_clause_if_new(rows))
        slots = packing.slots(partition, keys.take(pa.array(fresh)), record_size(self.plan, rows))
        position, slot = np.concatenate([position, fresh]), np.concatenate([slot, slots | PACKED])
        router = self.group_router
        routes = np.array([router.route(partition, int(n) & ~PACKED) for n in np.unique(slot)], dtype=np.int64)
        tagged = rows.take(pa.array(position))
        tagged = tagged.set_column(
            tagged.schema.get_field_index(ROUTE), ROUTE, pa.array(routes[np.unique(slot, return_inverse=True)[1]])
        )
        # add no value that differs between runs of the task, such as a time: Spark would reject its rows
        return tagged.append_column(SLOT, pa.array(slot))


def slots_of(rows: pa.Table) -> Iterator[tuple[int, NDArray[np.int64], bool]]:
    """Yield each slot among looked-up rows, the positions of its rows, and whether new keys fill up its file."""
    tagged = one_array(rows.column(SLOT)).to_numpy(zero_copy_only=False)
    slots, packed = tagged & ~PACKED, (tagged & PACKED) != 0
    for slot in np.unique(slots).tolist():
        positions = np.flatnonzero(slots == slot)
        yield slot, positions, bool(packed[positions].any())
