"""Look-up of incoming keys in stored file slices, by the index of a write."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from attrs import define, field
from numpy.typing import NDArray

from hoodoo.format.bloom import KeyHashes
from hoodoo.index.index_types import Index
from hoodoo.index.kept_keys import KeptKeys
from hoodoo.index.key_source import META_KEYS, KeySource
from hoodoo.index.log_keys import log_keys
from hoodoo.index.simple_index import locate
from hoodoo.metadata_table.record_shards import FoundKeys
from hoodoo.storage import Storage

__all__ = ["IncomingKeySearch"]


@define
class IncomingKeySearch:
    """Search for incoming keys in file slices, one after the other.

    Attributes:
        storage: The table's files.
        keys: The incoming record keys.
        index: The index of the write.
        source: The source of the keys of stored rows.
        kept: Cache for the keys of base files that are read; None to keep none.
        seconds: Time in seconds that the search has taken so far.
    """

    storage: Storage
    keys: pa.Array
    index: Index
    source: KeySource = META_KEYS
    kept: KeptKeys | None = None
    seconds: float = field(init=False, default=0.0)
    _hashes: KeyHashes = field(init=False)

    @_hashes.default
    def _hashed(self) -> KeyHashes:
        # computes the hashes when the first footer is read
        return KeyHashes(self.keys)

    def find_in(self, partition: str, groups: Mapping[str, int]) -> FoundKeys | None:
        """Return the file groups of the keys in a partition by an index of all its keys, see `Index.find_in`."""
        started = time.perf_counter()
        try:
            return self.index.find_in(self.storage, partition, self.keys, groups)
        finally:
            self.seconds += time.perf_counter() - started

    def locate(self, path: str, late: Mapping[str, frozenset[str]] = MappingProxyType({})) -> NDArray[np.int64]:
        """Return the positions of the keys that a file slice contains, each once, in ascending order.

        Args:
            path: Table-relative path of the base file.
            late: Paths of the slice's logs whose keys the base file may lack, each with the instants whose blocks are
                searched.

        Raises:
            CorruptTableError: A file is damaged or missing.
            UnsupportedTable: A file or a log block cannot be read.
        """
        started = time.perf_counter()
        try:
            found = self.index.locate(self.storage, path, self._hashes, self.source, self.kept)
            for log, instants in late.items():
                found = np.union1d(found, locate(log_keys(self.storage, log, instants, self.source), self.keys))
            return found
        finally:
            self.seconds += time.perf_counter() - started
