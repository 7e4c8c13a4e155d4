"""Looking incoming keys up in stored base files, by the index that a table has."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
from attrs import define, field
from numpy.typing import NDArray

from hoodoo.format.bloom import KeyHashes
from hoodoo.index.bloom import locate_pruned
from hoodoo.index.simple import locate, stored_keys
from hoodoo.storage import Storage

__all__ = ["KeySearch"]


@define
class KeySearch:
    """Incoming keys, to be looked for in base files one after the other.

    Attributes:
        storage: The table's files.
        keys: Record keys.
        prunes: Whether footers are asked first: the bloom index.
        seconds: What it has taken so far.
    """

    storage: Storage
    keys: pa.Array
    prunes: bool
    seconds: float = field(init=False, default=0.0)
    _hashes: KeyHashes = field(init=False)

    @_hashes.default
    def _hashed(self) -> KeyHashes:
        # keys are hashed when the first footer is asked
        return KeyHashes(self.keys)

    def locate(self, path: str) -> NDArray[np.int64]:
        """The positions of keys that a base file holds, each once, in order."""
        started = time.perf_counter()
        try:
            if self.prunes:
                return locate_pruned(self.storage, path, self._hashes)
            return locate(stored_keys(self.storage, path), self.keys)
        finally:
            self.seconds += time.perf_counter() - started
