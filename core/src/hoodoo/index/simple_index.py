"""Simple index: the stored record keys are read, and the incoming keys are found among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.format.base_files import read_base_file
from hoodoo.index.kept_keys import KeptKeys
from hoodoo.index.key_source import META_KEYS, KeySource
from hoodoo.storage import Storage

__all__ = ["READ_ROWS", "locate", "stored_keys"]

READ_ROWS = 512 * 1024


def stored_keys(storage: Storage, path: str, source: KeySource = META_KEYS) -> Iterator[pa.Array]:
    """Yield the record keys of a base file, batch by batch.

    Raises:
        CorruptTableError: The file is damaged or missing.
        UnsupportedTable: The file cannot be read.
    """
    for batch in read_base_file(storage, path, source.columns, batch_rows=READ_ROWS):
        yield source.of(batch, path)


def locate(
    stored: Iterable[pa.Array], incoming: pa.Array, kept: KeptKeys | None = None, path: str = ""
) -> NDArray[np.int64]:
    """Return the positions of incoming keys that are among the stored keys, each once, in ascending order.

    Args:
        stored: Record keys of a file slice, batch by batch.
        incoming: Record keys; one that occurs twice is found twice.
        kept: Cache for the stored keys; None to keep none.
        path: Table-relative path of the base file, by which `kept` finds the keys again; not used without `kept`.
    """
    encoded = incoming.dictionary_encode()
    found = np.zeros(len(encoded.dictionary), dtype=bool)
    # there are fewer incoming than stored keys: hashing them once per batch is much cheaper
    for codes in (KeptKeys(0) if kept is None else kept).matched(path, stored, encoded.dictionary):
        found[codes.drop_null().to_numpy(zero_copy_only=False)] = True
    return np.flatnonzero(found[encoded.indices.to_numpy(zero_copy_only=False)]).astype(np.int64)
