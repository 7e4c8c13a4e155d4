"""File slices of a partition that hold incoming keys, without repeated copies that a log has deleted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hoodoo.index.key_lookup import KeySearch
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan
from hoodoo.writing.tasks.stored_rows import rows_under

__all__ = ["located"]

Positions = NDArray[np.int64]


def located(
    plan: TaskPlan, storage: Storage, partition: str, slices: Mapping[int, SliceRef], search: KeySearch
) -> dict[int, Positions]:
    """Return the positions of the keys that each slice holds, by the slot of the slice.

    The index finds keys in base files. A key that a log deleted and that was inserted again may be in two slices, of
    which an update must reach the one that has the row: where a key is found twice, slices with logs are read. A key
    that is deleted in all of them stays with one of them, whose delete may have a later ordering value than an update.

    Args:
        plan: The write.
        storage: The table's files.
        partition: The partition path.
        slices: Slices of the partition, by slot.
        search: The keys.
    """
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
