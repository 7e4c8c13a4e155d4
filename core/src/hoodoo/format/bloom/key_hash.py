"""Hash chain of record keys: each hash is seeded with the one before it.

The hash is MurmurHash2, except for the last bytes: bytes that do not fill a word of four are sign-extended, and shifted
by their distance from the end. All arithmetic is modulo 2**32. Only the seed changes along a chain, so the bytes of a
key are mixed once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from attrs import define, field, frozen
from numpy.typing import NDArray

__all__ = ["HashedKeys", "KeyHashes"]

Words = NDArray[np.uint32]

_M = np.uint32(0x5BD1E995)
_BLOCK_KEYS = 1 << 13
"""Number of keys per block, so that the arrays of a block fit into a core's cache."""


@frozen
class HashedKeys:
    """k keys, longest first, prepared for hashing.

    Attributes:
        rows: The position of each key in the source array.
        lengths: Lengths of the keys in bytes.
        words: For each position of a word of four bytes, the mixed words of the keys that are long enough to have it;
            these are the first keys.
        tail: The mixed bytes after the last word.
        factor: Multiplier of the hash after the tail: 1 without a tail.
    """

    rows: NDArray[np.int64]
    lengths: Words
    words: tuple[Words, ...]
    tail: Words
    factor: Words

    @classmethod
    def of(cls, data: NDArray[np.uint8], bounds: NDArray[np.int64], first: int) -> HashedKeys:
        """Return the keys `data[bounds[i]:bounds[i + 1]]`, with positions from `first` on."""
        lengths = np.diff(bounds)
        order = np.argsort(-lengths, kind="stable")
        lengths, starts, ends = lengths[order], bounds[:-1][order], bounds[1:][order]
        words = []
        # a word may start at any byte
        unaligned: NDArray[np.uint32] = np.ndarray(max(len(data) - 3, 0), "<u4", data, strides=(1,))
        for place in range(int(lengths.max(initial=0)) // 4):
            word = unaligned[starts[: int(np.count_nonzero(lengths >= 4 * (place + 1)))] + 4 * place] * _M
            word ^= word >> np.uint32(24)
            word *= _M
            words.append(word)
        left = lengths & 3
        tail = np.zeros(len(lengths), dtype=np.int32)
        signed = data.view(np.int8)
        for distance in (1, 2, 3):
            has = np.flatnonzero(left >= distance)
            tail[has] ^= signed[ends[has] - distance].astype(np.int32) << (8 * (distance - 1))
        factor = np.where(left > 0, _M, np.uint32(1)).astype(np.uint32)
        return cls(first + order, lengths.astype(np.uint32), tuple(words), tail.view(np.uint32), factor)

    def subset(self, kept: NDArray[np.int64]) -> HashedKeys:
        """Return the keys at the given indices of this object; the indices must be in ascending order."""
        words = (word[kept[: int(np.searchsorted(kept, len(word)))]] for word in self.words)
        return HashedKeys(
            self.rows[kept],
            self.lengths[kept],
            tuple(word for word in words if len(word)),
            self.tail[kept],
            self.factor[kept],
        )

    def chain(self, count: int, seeds: Words | None = None) -> Words:
        """Return `count` hashes of each key, shape (count, k); the first hash is seeded with `seeds`, or with 0."""
        result = np.empty((count, len(self.rows)), dtype=np.uint32)
        shifted = np.empty(len(self.rows), dtype=np.uint32)
        for h in result:
            np.bitwise_xor(self.lengths, 0 if seeds is None else seeds, out=h)
            for word in self.words:
                part = h[: len(word)]
                part *= _M
                part ^= word
            h ^= self.tail
            h *= self.factor
            h ^= np.right_shift(h, np.uint32(13), out=shifted)
            h *= _M
            h ^= np.right_shift(h, np.uint32(15), out=shifted)
            seeds = h
        return result


@define
class KeyHashes:
    """Keys of an array in blocks, with the first hashes of each key, which are computed once for all filters.

    Args:
        keys: Record keys (string), without nulls.
    """

    keys: pa.Array
    _blocks: list[tuple[HashedKeys, Words]] | None = field(init=False, default=None)

    FIRST = 4
    """Number of hashes that are kept; a key that is not in a filter rarely needs more of them."""

    def blocks(self) -> Iterator[HashedKeys]:
        """Yield blocks of consecutive keys, in order; the keys within a block are sorted by length."""
        if not len(self.keys):
            return
        keys = self.keys.cast(pa.large_binary())
        _, offsets, values = keys.buffers()
        bounds = np.frombuffer(offsets, dtype=np.int64)[keys.offset : keys.offset + len(keys) + 1]
        data = np.frombuffer(values or b"", dtype=np.uint8)
        for start in range(0, len(keys), _BLOCK_KEYS):
            block = bounds[start : start + _BLOCK_KEYS + 1]
            yield HashedKeys.of(data[block[0] : block[-1]], block - block[0], start)

    def first(self) -> list[tuple[HashedKeys, Words]]:
        """Return the blocks of keys with their first hashes, shape (FIRST, k) per block."""
        if self._blocks is None:
            self._blocks = [(block, block.chain(self.FIRST)) for block in self.blocks()]
        return self._blocks
