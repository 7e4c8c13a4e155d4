"""Cache of stored record keys that an index has read, for the tasks that rewrite the same base files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, field, frozen
from numpy.typing import NDArray

__all__ = ["KeptKeys", "ReadKeys"]

KEPT_BYTES = 64 * 1024 * 1024
"""Maximum bytes of keys in the cache. The keys of further files are read again when the files are rewritten."""

Codes = NDArray[np.int32]


@frozen(eq=False)
class ReadKeys:
    """All record keys of one base file, in order, with the positions of those that are incoming keys.

    Attributes:
        keys: The record keys of n rows.
        codes: For each row, the position of its key in `incoming`; -1 if it is not an incoming key.
        incoming: The distinct incoming keys.
    """

    keys: pa.ChunkedArray
    codes: Codes
    incoming: pa.Array

    def partners(self, keys: pa.Array) -> NDArray[np.int64]:
        """Return, for each row, the position of its key in `keys`, a part of the incoming keys; -1 if it is absent."""
        codes = pc.index_in(keys, value_set=self.incoming)
        among = np.flatnonzero(codes.is_valid().to_numpy(zero_copy_only=False))
        # code -1 is the last element
        place = np.full(len(self.incoming) + 1, -1, dtype=np.int64)
        place[codes.drop_null().to_numpy(zero_copy_only=False)] = among
        return place[self.codes]


@define
class KeptKeys:
    """Cache of the keys of base files from their look-up to their rewrite, with a limit of memory.

    Attributes:
        limit: Maximum bytes of keys and their codes.
        used: Bytes of keys and codes that were added since the last `clear`.
    """

    limit: int = KEPT_BYTES
    _files: dict[str, ReadKeys] = field(init=False, factory=dict, repr=False)
    used: int = field(init=False, default=0)

    def matched(self, path: str, stored: Iterable[pa.Array], incoming: pa.Array) -> Iterator[pa.Array]:
        """Yield the codes of stored keys, batch by batch: positions in `incoming`, null for other keys.

        The keys are added to the cache if all of them fit.

        Args:
            path: Table-relative path of a base file.
            stored: The record keys of this file, batch by batch.
            incoming: Distinct incoming keys.
        """
        keys: list[pa.Array] = []
        codes: list[Codes] = []
        size = 0
        for batch in stored:
            found = pc.index_in(batch, value_set=incoming)
            size += batch.nbytes + found.nbytes
            if self.used + size <= self.limit:
                keys.append(batch)
                codes.append(found.fill_null(-1).to_numpy(zero_copy_only=False))
            else:
                keys.clear()
                codes.clear()
            yield found
        if keys:
            self._files[path] = ReadKeys(pa.chunked_array(keys), np.concatenate(codes), incoming)
            self.used += size

    def take(self, path: str) -> ReadKeys | None:
        """Remove the keys of a base file from the cache and return them; None if the cache lacks them."""
        return self._files.pop(path, None)

    def clear(self) -> None:
        """Remove all keys."""
        self._files.clear()
        self.used = 0
