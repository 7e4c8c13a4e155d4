"""Bloom filter of record keys: building, look-up, and conversion to and from text."""

from __future__ import annotations

import base64
import binascii
import struct

import numpy as np
import pyarrow as pa
from attrs import define, field
from numpy.typing import NDArray

from hoodoo.format.bloom.filter_size import BloomShape
from hoodoo.format.bloom.key_hash import KeyHashes

__all__ = ["BloomFilter"]

_HEADER = struct.Struct(">iibi")
_GROWTH = struct.Struct(">iii")
_VERSION, _MURMUR = -1, 1
_MOST_HASHES = 1024

Flags = NDArray[np.bool_]


@define
class BloomFilter:
    """Bloom filter of one or more rows of bits. It may contain a key if all bits of the key are set in one row.

    Attributes:
        kind: `SIMPLE` or `DYNAMIC_V0`.
        bits: Number of bits of a row.
        hashes: Number of bits that a key sets in a row.
        entries: Number of keys after which a row of a `DYNAMIC_V0` filter is full.
        max_entries: Number of keys above which no row is added.
    """

    kind: str
    bits: int
    hashes: int
    entries: int
    max_entries: int
    _rows: list[Flags] = field(factory=list)
    _in_last: int = 0
    _beyond: int = field(init=False, default=0)

    @classmethod
    def empty(cls, shape: BloomShape) -> BloomFilter:
        """Return a filter without keys."""
        return cls(
            shape.kind,
            shape.bits,
            shape.hashes,
            shape.entries,
            shape.max_entries,
            [np.zeros(shape.bits, dtype=np.bool_)],
        )

    @property
    def count(self) -> int | None:
        """Return the number of added keys, with repetitions; None for a `SIMPLE` filter, which does not count."""
        return None if self.kind == "SIMPLE" else (len(self._rows) - 1) * self.entries + self._in_last

    def has_shape(self, shape: BloomShape) -> bool:
        """Return whether a new filter of the shape has the same kind, bits, hashes and, unless `SIMPLE`, entries."""
        entries = self.entries if self.kind == "SIMPLE" else shape.entries
        mine = (self.kind, self.bits, self.hashes, self.entries)
        return mine == (shape.kind, shape.bits, shape.hashes, entries)

    def add(self, keys: pa.Array) -> None:
        """Add record keys (string, without nulls); their order determines the row of each key."""
        row_of = self._assign(len(keys))
        for block in KeyHashes(keys).blocks():
            rows = row_of[block.rows]
            members = {row: np.flatnonzero(rows == row) for row in np.unique(rows).tolist()}
            for hashes in block.chain(self.hashes):
                spots = _bit_positions(hashes, self.bits)
                for row, mine in members.items():
                    self._rows[row][spots if len(members) == 1 else spots[mine]] = True

    def may_contain(self, keys: KeyHashes, among: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Return a mask of n keys: True if a key may have been added. With `among`, keys outside of it are False."""
        found = np.zeros(len(keys.keys), dtype=bool)
        for block, first in keys.first():
            for row in self._rows:
                live = np.arange(len(block.rows)) if among is None else np.flatnonzero(among[block.rows])
                for hashes in first[: self.hashes]:
                    live = live[row[_bit_positions(hashes[live], self.bits)]]
                if len(live) and self.hashes > len(first):
                    rest = block.subset(live).chain(self.hashes - len(first), first[-1][live])
                    live = live[np.logical_and.reduce([row[_bit_positions(hashes, self.bits)] for hashes in rest])]
                found[block.rows[live]] = True
        return found

    def to_text(self) -> str:
        """Return the filter as base64."""
        head = _HEADER.pack(_VERSION, self.hashes, _MURMUR, self.bits)
        parts = []
        if self.kind != "SIMPLE":
            parts = [head, _GROWTH.pack(self.entries, self._in_last, len(self._rows))]
        for row in self._rows:
            parts += [head, np.packbits(row, bitorder="little").tobytes()]
        return base64.b64encode(b"".join(parts)).decode()

    @classmethod
    def from_text(cls, text: bytes, kind: str, max_entries: int = BloomShape().max_entries) -> BloomFilter | None:
        """Return the filter in a text; None if the text is invalid or the kind is unknown.

        Args:
            text: The base64 text of the filter.
            kind: The kind that the footer states, such as `SIMPLE`.
            max_entries: Limit for further keys, which the text does not contain.
        """
        try:
            octets = base64.b64decode(text, validate=True)
        except binascii.Error:
            return None
        if kind not in ("SIMPLE", "DYNAMIC_V0") or len(octets) < _HEADER.size:
            return None
        head, at = octets[: _HEADER.size], 0
        version, hashes, hash_type, bits = _HEADER.unpack(head)
        entries, in_last, rows = 0, 0, 1
        if kind == "DYNAMIC_V0":
            if len(octets) < _HEADER.size + _GROWTH.size:
                return None
            entries, in_last, rows = _GROWTH.unpack_from(octets, _HEADER.size)
            at = _HEADER.size + _GROWTH.size
        width = _HEADER.size + (bits + 7) // 8
        if version != _VERSION or hash_type != _MURMUR or not 0 < hashes <= _MOST_HASHES or bits < 1 or rows < 1:
            return None
        if len(octets) != at + rows * width or entries < (kind == "DYNAMIC_V0") or in_last < 0:
            return None
        starts = range(at, len(octets), width)
        if any(octets[start : start + _HEADER.size] != head for start in starts):
            return None
        packed = [np.frombuffer(octets, np.uint8, width - _HEADER.size, start + _HEADER.size) for start in starts]
        flags = [np.unpackbits(row, count=bits, bitorder="little").view(np.bool_) for row in packed]
        return cls(kind, bits, hashes, entries, max_entries, flags, in_last)

    def _assign(self, count: int) -> NDArray[np.int64]:
        """Return the number of the row for each of the next `count` keys.

        If the last row of a `DYNAMIC_V0` filter is full, rows are added up to `max_entries`; then all rows are reused
        in turn.
        """
        if self.kind == "SIMPLE":
            return np.zeros(count, dtype=np.int64)
        parts = []
        while count:
            free = self.entries - self._in_last
            if free <= 0 and len(self._rows) * self.entries < self.max_entries:
                self._rows.append(np.zeros(self.bits, dtype=np.bool_))
                self._in_last = 0
                continue
            if free > 0:
                step = min(free, count)
                parts.append(np.full(step, len(self._rows) - 1, dtype=np.int64))
            else:
                step = count
                # the first row gets the first key above the limit and, at the start of the turn, also the second
                turns = np.arange(self._beyond, self._beyond + step)
                parts.append(np.maximum(turns - 1, 0) % len(self._rows))
                self._beyond += step
            self._in_last += step
            count -= step
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def _bit_positions(hashes: NDArray[np.uint32], bits: int) -> NDArray[np.intp]:
    """Return the bit positions of k hashes: the absolute value of the signed hash modulo the number of bits."""
    spots = np.abs(hashes.view(np.int32)).view(np.uint32)
    # numpy vectorises the division by a constant, but not the remainder
    spots -= spots // np.uint32(bits) * np.uint32(bits)
    return spots.astype(np.intp)
