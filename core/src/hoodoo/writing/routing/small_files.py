"""Slots of new keys: small files are filled first, and other keys get new file groups of the maximum size.

A task that has a whole partition packs by count. If several tasks share a partition, each gets a part of its rows by
the hash of the key. A task treats its part as a random sample, estimates the size of the whole, and assigns keys to
slots by hash, so that the tasks together create no more files than the rows need. A task chooses the slots of a
partition once, so that each key has one slot.
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
from attrs import define, field
from numpy.typing import NDArray

from hoodoo.index.bucket_index import bucket_ids
from hoodoo.writing.routing.shuffle_route import NEW_SLOT
from hoodoo.writing.routing.task_plan import TaskPlan

__all__ = ["Packing", "record_size"]

_HASH_STEPS = 1 << 16


def record_size(plan: TaskPlan, rows: pa.Table) -> int:
    """Return the expected bytes of a stored record: as in the last commits, or else a third of the size in memory."""
    return plan.distribution.record_size or max(1, int(rows.nbytes) // max(1, rows.num_rows) // 3)


@define
class Packing:
    """Allocator of slots for new keys; `share` is the number of tasks that share a partition."""

    plan: TaskPlan
    share: int = 1
    _chosen: dict[str, tuple[NDArray[np.int32], NDArray[np.float64]]] = field(init=False, factory=dict)

    def capacities(self, partition: str, bytes_per_record: int) -> list[tuple[int, int]]:
        """Return the slots of small files, smallest first, each with the number of records that still fit.

        In a merge-on-read table, slices with logs are left out.
        """
        slices = self.plan.slices.get(partition, {})
        if self.plan.table.appends:
            # log records would have to be compacted at the same time
            slices = {slot: ref for slot, ref in slices.items() if not ref.logs}
        small = [
            (ref.size, slot) for slot, ref in slices.items() if ref.size < self.plan.files.options.small_file_limit
        ]
        room = [
            (slot, (self.plan.files.options.max_file_size - size) // bytes_per_record) for size, slot in sorted(small)
        ]
        return [(slot, records) for slot, records in room if records > 0]

    def slots(self, partition: str, keys: pa.Array, bytes_per_record: int) -> NDArray[np.int32]:
        """Return a slot for each new key of a partition."""
        if not len(keys):
            return np.empty(0, dtype=np.int32)
        if partition not in self._chosen:
            self._chosen[partition] = self._choose(partition, len(keys) * self.share, bytes_per_record)
        slots, upto = self._chosen[partition]
        position = bucket_ids(keys, _HASH_STEPS) / _HASH_STEPS
        return slots[np.searchsorted(upto, position, side="right")]

    def _choose(
        self, partition: str, expected: int, bytes_per_record: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return slots, and the upper ends of their shares of the hash range; the last share has no end."""
        slots, weights, rest = [], [], expected
        for slot, capacity in self.capacities(partition, bytes_per_record):
            if rest <= 0:
                break
            slots.append(slot)
            weights.append(min(capacity, rest))
            rest -= capacity
        per_file = max(1, self.plan.files.options.max_file_size // bytes_per_record)
        for number in range(math.ceil(rest / per_file) if rest > 0 else 0):
            slots.append(NEW_SLOT + number)
            weights.append(min(per_file, rest - number * per_file))
        upto = np.cumsum(weights)[:-1] / sum(weights)
        return np.array(slots, dtype=np.int32), upto
