"""The simple index: read the record keys that are stored and see which of the incoming ones are among them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

__all__ = ["locate"]


def locate(stored: Iterable[pa.Array], incoming: pa.Array) -> NDArray[np.int64]:
    """The positions of incoming keys that are among the stored ones, each once, in order.

    Args:
        stored: Record keys of a file slice, batch by batch.
        incoming: Record keys; one that occurs twice is found twice.
    """
    encoded = incoming.dictionary_encode()
    found = np.zeros(len(encoded.dictionary), dtype=bool)
    for keys in stored:
        # the incoming keys are the smaller side: hashing them once per batch is much cheaper than hashing stored ones
        positions = pc.index_in(keys, value_set=encoded.dictionary).drop_null()
        found[positions.to_numpy(zero_copy_only=False)] = True
    return np.flatnonzero(found[encoded.indices.to_numpy(zero_copy_only=False)]).astype(np.int64)
