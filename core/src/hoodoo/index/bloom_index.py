"""Bloom index: the key bounds and the bloom filters in the footers of base files exclude incoming keys.

The keys of a file are read if its footer does not exclude all incoming keys. If a footer has no filter, or a wrong one,
only its key bounds exclude keys. A filter is wrong if it lacks the smallest or the largest key of its file, or counts
fewer keys than the file has rows.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.format.bloom import KeyFooter, KeyHashes
from hoodoo.format.parquet.parquet_reader import open_base_file, read_open_file
from hoodoo.index.kept_keys import KeptKeys
from hoodoo.index.key_source import META_KEYS, KeySource
from hoodoo.index.simple_index import READ_ROWS, locate
from hoodoo.storage import Storage

__all__ = ["locate_pruned"]


def locate_pruned(
    storage: Storage,
    path: str,
    incoming: KeyHashes,
    source: KeySource = META_KEYS,
    kept: KeptKeys | None = None,
) -> NDArray[np.int64]:
    """Return the positions of the incoming keys that a base file contains, each once, in ascending order.

    Args:
        storage: The table's files.
        path: Table-relative path of the file; its footer is read once.
        incoming: The incoming record keys, whose hashes are computed once for all files.
        source: The source of the keys of stored rows.
        kept: Cache for the keys of the file, if they are read; None to keep none.

    Raises:
        CorruptTableError: The file is damaged or missing.
        UnsupportedTable: The file cannot be read.
    """
    with open_base_file(storage, path, source.columns) as file:
        candidates = np.flatnonzero(KeyFooter.of(file).may_contain(incoming))
        if not len(candidates):
            return np.empty(0, dtype=np.int64)
        batches = read_open_file(file, path, source.columns, batch_rows=READ_ROWS)
        stored = (source.of(batch, path) for batch in batches)
        return candidates[locate(stored, incoming.keys.take(pa.array(candidates)), kept, path)]
