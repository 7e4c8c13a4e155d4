"""Index of an HFile: the position of each block and a lower bound of its keys, in one or more levels."""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from attrs import define, frozen
from msgspec import Struct

from hoodoo.format.hfile.block import INNER_INDEX, LEAF_INDEX, Codec, read_block
from hoodoo.format.hfile.cells import key_content
from hoodoo.format.hfile.source import HFileDamage, HFileSource

__all__ = ["DataIndex", "IndexEntry", "Span", "decode_root", "encode_root"]

_PLACE = struct.Struct(">qi")
_COUNT = struct.Struct(">i")


class IndexEntry(Struct, frozen=True, gc=False):
    """Entry of an index.

    Attributes:
        key: The key as the index stores it: with its length before it, or the plain name of a meta block.
        offset: Position of the block in the HFile, in bytes.
        size: Size of the block on disk in bytes, with header and checksums.
    """

    key: bytes
    offset: int
    size: int


@frozen
class Span:
    """Range of keys, including both ends.

    Attributes:
        first: The first key.
        last: The last key; None if the range has no end.
    """

    first: bytes
    last: bytes | None

    @classmethod
    def of_key(cls, key: bytes) -> Span:
        """Return the range of one key."""
        return cls(key, key)

    @classmethod
    def of_prefix(cls, prefix: bytes) -> Span:
        """Return the range of the keys that begin with a prefix; the range may contain the first key after them."""
        stem = prefix.rstrip(b"\xff")
        return cls(prefix, stem[:-1] + bytes([stem[-1] + 1]) if stem else None)


EVERYTHING = Span(b"", None)


def decode_root(content: bytes, count: int, offset: int) -> list[IndexEntry]:
    """Return the entries of a root index, or of the index of the meta blocks.

    Args:
        content: The content of the block.
        count: Number of entries, according to the trailer.
        offset: Position of the block, for errors.

    Raises:
        HFileDamage: The content does not have `count` complete entries.
    """
    entries = []
    at = 0
    try:
        for _ in range(count):
            place, size = _PLACE.unpack_from(content, at)
            length, at = _vlong(content, at + _PLACE.size)
            if length > len(content) - at:
                raise ValueError("a key that is not complete")
            entries.append(IndexEntry(content[at : at + length], place, size))
            at += length
    except (struct.error, ValueError, IndexError) as error:
        reason = f": {error}" if isinstance(error, ValueError) else ""
        raise HFileDamage(f"an index that lacks entries (number in the trailer: {count}){reason}", offset) from error
    # after the entries HBase writes the middle key of an index with several levels
    return entries


def encode_root(entries: Sequence[IndexEntry]) -> bytes:
    """Return the content of a root index."""
    return b"".join(
        part for e in entries for part in (_PLACE.pack(e.offset, e.size), _encoded_vlong(len(e.key)), e.key)
    )


@define
class DataIndex:
    """Index of the data blocks, whose levels below the root are read on demand.

    Attributes:
        source: The bytes of the HFile.
        root: The entries of the root index.
        levels: Number of levels.
        codec: Compression of the HFile.
        end: Position of the root index; the data blocks and the lower levels of the index are before it.
    """

    source: HFileSource
    root: Sequence[IndexEntry]
    levels: int
    codec: Codec
    end: int

    def blocks(self, spans: Sequence[Span]) -> Iterator[tuple[IndexEntry, bytes, bytes | None]]:
        """Yield the index entries of the data blocks that may have keys of the given ranges, in order.

        Each entry comes with the content of its key, which may be less than the first key of the block, and with the
        content of the next entry's key; None for the last entry.

        Raises:
            HFileDamage: A part of the index is damaged.
        """
        bounded = _bounded(self.root, self._keys(self.root, 0), None)
        for depth in range(1, self.levels):
            kind = LEAF_INDEX if depth == self.levels - 1 else INNER_INDEX
            children: list[_Bounded] = []
            for entry, key, following in _touched(bounded, spans):
                below = self._inner(entry, kind)
                inside = self._keys(below, entry.offset)
                if not below or inside[0] < key or (following is not None and inside[-1] > following):
                    raise HFileDamage(
                        "a part of the index that is empty, or has keys outside the range of its entry", entry.offset
                    )
                children += _bounded(below, inside, following)
            bounded = children
        yield from _touched(bounded, spans)

    def _inner(self, entry: IndexEntry, kind: bytes) -> list[IndexEntry]:
        content = read_block(self.source, entry.offset, kind, self.codec, entry.size).content
        try:
            (count,) = _COUNT.unpack_from(content)
            if not 0 <= count <= len(content) // _COUNT.size:
                raise ValueError(f"{count} entries in {len(content)} bytes")
            ends = struct.unpack_from(f">{count + 1}i", content, _COUNT.size)
            start = _COUNT.size * (count + 2)
            if ends[0] != 0 or start + ends[-1] != len(content):
                raise ValueError("entries that do not fill it")
            found = []
            for first, last in pairwise(ends):
                if last - first < _PLACE.size:
                    raise ValueError("an entry that is too short")
                place, size = _PLACE.unpack_from(content, start + first)
                found.append(IndexEntry(content[start + first + _PLACE.size : start + last], place, size))
        except (struct.error, ValueError) as error:
            reason = f": {error}" if isinstance(error, ValueError) else ""
            raise HFileDamage(f"a part of the index that cannot be decoded{reason}", entry.offset) from error
        return found

    def _keys(self, entries: Sequence[IndexEntry], offset: int) -> list[bytes]:
        """Return the contents of keys. Raise if a key is incomplete or out of order, or a block is outside the data."""
        keys: list[bytes] = []
        for entry in entries:
            try:
                key = key_content(entry.key)
            except ValueError as error:
                raise HFileDamage(f"an index entry with {error}", offset) from error
            if keys and key < keys[-1]:
                raise HFileDamage("an index whose keys are not in ascending order", offset)
            if entry.size <= 0 or not 0 <= entry.offset <= self.end - entry.size:
                raise HFileDamage("an index entry with a block outside the data", offset)
            keys.append(key)
        return keys


_Bounded = tuple[IndexEntry, bytes, bytes | None]
"""An entry, the content of its key, and the content of the next entry's key."""


def _bounded(entries: Sequence[IndexEntry], keys: Sequence[bytes], following: bytes | None) -> list[_Bounded]:
    return list(zip(entries, keys, [*keys[1:], following][: len(keys)], strict=True))


def _touched(bounded: Sequence[_Bounded], spans: Sequence[Span]) -> list[_Bounded]:
    """Return the entries whose blocks may have keys of the ranges."""
    keys = [key for _, key, _ in bounded]
    chosen: set[int] = set()
    for span in spans:
        # the keys of a block are not less than its key in the index; equal keys are in one block
        first = max(bisect_right(keys, span.first) - 1, 0)
        # several blocks may begin with the same key
        first = min(first, bisect_left(keys, keys[first])) if keys else 0
        last = len(keys) if span.last is None else bisect_right(keys, span.last)
        chosen.update(range(first, last))
    return [bounded[place] for place in sorted(chosen)]


def _vlong(data: bytes, at: int) -> tuple[int, int]:
    """Return a length in Hadoop's variable-length form, and the position after it."""
    first = data[at]
    if first < 0x80:
        return first, at + 1
    size = 0x90 - first
    # 0x88 to 0x8f: a positive number of one to eight bytes; the other values are negative numbers
    if not 1 <= size <= 8 or len(data) - at - 1 < size:
        raise ValueError("a length that is negative or not complete")
    return int.from_bytes(data[at + 1 : at + 1 + size], "big"), at + 1 + size


def _encoded_vlong(number: int) -> bytes:
    if number < 0x80:
        return bytes([number])
    size = (number.bit_length() + 7) // 8
    return bytes([0x90 - size]) + number.to_bytes(size, "big")
