"""Looking incoming keys up in stored base files, by the index that a table has."""

from __future__ import annotations

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
    """The incoming keys of one partition, to be looked for in its base files one after the other.

    Attributes:
        storage: The table's files.
        keys: Record keys.
        prunes: Whether footers are asked first: the bloom index.
    """

    storage: Storage
    keys: pa.Array
    prunes: bool
    _hashes: KeyHashes = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._hashes = KeyHashes(self.keys)

    def locate(self, path: str) -> NDArray[np.int64]:
        """The positions of keys that a base file holds, each once, in order."""
        if self.prunes:
            return locate_pruned(self.storage, path, self._hashes)
        return locate(stored_keys(self.storage, path), self.keys)
