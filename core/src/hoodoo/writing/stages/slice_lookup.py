"""Look-up of incoming keys in the file slices of a partition, without rows that a log has deleted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hoodoo.index.key_lookup import IncomingKeySearch
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan
from hoodoo.writing.tasks.stored_rows import rows_under

__all__ = ["located"]

Positions = NDArray[np.int64]


def located(
    plan: TaskPlan, storage: Storage, partition: str, slices: Mapping[int, SliceRef], search: IncomingKeySearch
) -> dict[int, Positions]:
    """Return the positions of the keys that each slice contains, by the slot of the slice.

    The index finds keys in base files, unless it has the locations of all keys. If a log deleted a key and the key was
    inserted again, it may be in two slices, and an update must reach the slice that has the row. Slices with logs are
    therefore read for a key that is found twice. A key that is deleted in all slices is located in one of them, because
    its delete may have a later ordering value than an update.

    Args:
        plan: The plan of the write.
        storage: The table's files.
        partition: The partition path.
        slices: Slices of the partition, by slot.
        search: The search for the incoming keys.

    Raises:
        CorruptTableError: The index or a file is damaged, or a file is missing.
        UnsupportedTable: A file or a log block cannot be read.
    """
    indexed = search.find_in(partition, {ref.file_id: slot for slot, ref in slices.items()})
    if indexed is not None:
        # a key that a log has deleted is not in the index
        return {slot: indexed.positions[indexed.groups == slot] for slot in np.unique(indexed.groups).tolist()}
    found = {slot: search.locate(ref.path, ref.late) for slot, ref in slices.items()}
    counts = np.bincount(np.concatenate([np.empty(0, np.int64), *found.values()]), minlength=len(search.keys))
    repeated = counts > 1
    if not repeated.any():
        return found
    for slot, ref in slices.items():
        doubtful = found[slot][repeated[found[slot]]] if ref.logs else ()
        if len(doubtful):
            keys = search.keys.take(pa.array(doubtful))
            living = rows_under(plan, storage, partition, ref, keys, ()).column(RECORD_KEY)
            dead = doubtful[~pc.is_in(keys, value_set=living).to_numpy(zero_copy_only=False)]
            gone = dead[counts[dead] > 1]
            counts[gone] -= 1
            found[slot] = np.setdiff1d(found[slot], gone, assume_unique=True)
    return found
