"""Stages of a write with a bucket index, in which the hash of a key determines its file group without a look-up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from attrs import define
from numpy.typing import NDArray

from hoodoo.index.index_types import BucketIndex
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.stages.write_stages import WriteStages
from hoodoo.writing.tasks.group_merge import GroupMerge, take_rows

__all__ = ["BucketStages"]


@define
class BucketStages(WriteStages):
    """Stages of a write with a bucket index.

    Attributes:
        index: The bucket index, which computes the bucket of a key.
    """

    index: BucketIndex

    def routes(self, partitions: pa.Array, keys: pa.Array) -> NDArray[np.int64]:
        """Return the routes of rows by the buckets of their keys."""
        return self.group_router.routes(partitions, self._slots(keys))

    def write(self, merge: GroupMerge, partition: str, rows: pa.Table, keys: pa.Array) -> Iterator[FileStatus]:
        """Write the rows of one partition, one file group per bucket, and yield a status per file."""
        slots = self._slots(keys)
        for slot in np.unique(slots).tolist():
            mine, mine_keys = take_rows(rows, keys, np.flatnonzero(slots == slot))
            records = merge.records(mine, mine_keys)
            ref = merge.slice_of(partition, slot)
            if not len(records):
                yield FileStatus.nothing_written(partition, mine.num_rows)
            elif ref is not None:
                yield merge.write_slice(partition, ref, records, mine.num_rows)
            else:
                yield from merge.writer.create_bucket(partition, slot, records, mine.num_rows)

    def _slots(self, keys: pa.Array) -> NDArray[np.int32]:
        return self.index.slots(keys, self.plan.keys.config.record_key)
