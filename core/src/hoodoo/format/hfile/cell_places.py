"""Offsets of the cells in a data block; the lengths at the start of each cell determine where the next one begins."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt
from attrs import frozen

__all__ = ["HEAD_BYTES", "KEY_END", "KEY_EXTRA", "CellPlaces", "cell_places"]

KEY_END = b"\0" + b"\x7f" + b"\xff" * 7 + b"\4"
"""The bytes between the content of a key and the value: no column family, the latest timestamp, and the type Put."""

_LENGTHS = struct.Struct(">ii")
HEAD_BYTES = _LENGTHS.size + 2
"""Bytes of a cell before the content of its key."""

KEY_EXTRA = 2 + len(KEY_END)
"""Bytes of a key in addition to its content."""

_LATEST = int.from_bytes(KEY_END[1:-1], "big")

_MOST_LENGTHS = 32
"""Number of distinct key lengths up to which `_by_marks` is faster than a loop over the cells."""

_FEW_BYTES = 4096

Ints = npt.NDArray[np.int64]


@frozen(eq=False)
class CellPlaces:
    """Byte offsets of the cells of a block and of their parts; each array has one number for each cell.

    Attributes:
        starts: Offsets of the cells.
        contents: Offsets of the contents of the keys.
        key_ends: Offsets of the ends of these contents, where `KEY_END` begins.
        values: Offsets of the values.
        value_ends: Offsets of the ends of the values.
    """

    starts: Ints
    contents: Ints
    key_ends: Ints
    values: Ints
    value_ends: Ints

    @classmethod
    def of(cls, starts: Ints, key_ends: Ints, value_bytes: Ints) -> CellPlaces:
        """Return the places of cells with the given starts, ends of the contents of keys, and lengths of values."""
        values = key_ends + len(KEY_END)
        return cls(starts, starts + HEAD_BYTES, key_ends, values, values + value_bytes)

    def __len__(self) -> int:
        return len(self.starts)


def cell_places(data: bytes, *, has_mvcc: bool) -> CellPlaces:
    """Return the places of the cells in a block.

    Args:
        data: The content of the block.
        has_mvcc: Whether each cell ends with an MVCC number.

    Raises:
        ValueError: The bytes are not cells, or are cells that Hudi does not write.
    """
    found = _by_marks(data, has_mvcc) if len(data) > _FEW_BYTES else None
    return _one_by_one(data, has_mvcc) if found is None else found


def _numbers_at(octets: npt.NDArray[np.uint8], at: Ints, type_: str) -> Ints:
    """Return the numbers of a numpy type at the given byte offsets, which must not be negative.

    Raises:
        IndexError: A position is too close to the end.
    """
    if not len(at):
        return np.empty(0, np.int64)
    size = np.dtype(type_).itemsize
    # a number at each byte: they overlap, and nothing is copied
    every: npt.NDArray[np.int64] = np.ndarray(len(octets) - size + 1, type_, octets, strides=(1,))
    return every[at].astype(np.int64)


def _one_by_one(data: bytes, has_mvcc: bool) -> CellPlaces:
    starts = _starts(data, has_mvcc)
    octets, first = np.frombuffer(data, np.uint8), starts[:-1]
    if (np.diff(starts) < HEAD_BYTES + len(KEY_END)).any():
        raise ValueError("a cell that is shorter than an empty one")
    content_bytes = _numbers_at(octets, first + _LENGTHS.size, ">u2")
    if (_numbers_at(octets, first, ">i4") != content_bytes + KEY_EXTRA).any():
        raise ValueError("a key with a wrong length, or with a column family, which Hudi does not write")
    places = CellPlaces.of(first, first + HEAD_BYTES + content_bytes, _numbers_at(octets, first + 4, ">i4"))
    if not _are_ends(octets, places.key_ends).all():
        raise ValueError("a key with a column family, a timestamp or a type that Hudi does not write")
    return places


def _starts(data: bytes, has_mvcc: bool) -> Ints:
    """Return the start of each cell, and the end of the last one."""
    starts: list[int] = []
    at, end, lengths_at, found = 0, len(data), _LENGTHS.unpack_from, starts.append
    try:
        # takes a third of a microsecond per cell
        while at < end:
            found(at)
            key, value = lengths_at(data, at)
            if key < 0 or value < 0:
                raise ValueError("a cell with a negative length")
            at += _LENGTHS.size + key + value
            if has_mvcc:
                byte = data[at]
                at += 1 if byte < 0x80 or byte >= 0x90 else _vlong_bytes(byte)
    except (struct.error, IndexError) as error:
        raise ValueError("a cell that is not complete") from error
    if at != end:
        raise ValueError("a cell that is not complete")
    found(at)
    return np.array(starts, np.int64)


def _by_marks(data: bytes, has_mvcc: bool) -> CellPlaces | None:
    """Return the places of cells by searching the bytes that end each key in all cells at once; None if this fails.

    The result is checked: the first cell starts at 0, each cell ends where the next one starts, and the lengths and the
    end of each key are as expected.
    """
    octets = np.frombuffer(data, np.uint8)
    ends = _key_ends(octets)
    if not len(ends):
        return None
    starts, value_bytes = _starts_of(octets, ends, has_mvcc)
    if starts is None or starts[0] != 0 or (value_bytes < 0).any():
        return None
    places = CellPlaces.of(starts, ends, value_bytes)
    after = places.value_ends
    if has_mvcc:
        if after.max() >= len(data):
            return None
        numbers = octets[after]
        if ((numbers >= 0x80) & (numbers < 0x90)).any():
            return None
        after = after + 1
    return places if after[-1] == len(data) and np.array_equal(after[:-1], starts[1:]) else None


def _key_ends(octets: npt.NDArray[np.uint8]) -> Ints:
    """Return the positions at which `KEY_END` begins."""
    # the second byte is the rarest one
    found = np.flatnonzero(octets == KEY_END[1]) - 1
    found = found[(found >= HEAD_BYTES) & (found <= len(octets) - len(KEY_END))]
    return found[_are_ends(octets, found)]


def _are_ends(octets: npt.NDArray[np.uint8], at: Ints) -> npt.NDArray[np.bool_]:
    """Return a mask of the given positions at which `KEY_END` begins."""
    latest = _numbers_at(octets, at + 1, ">i8") == _LATEST
    ends: npt.NDArray[np.bool_] = latest & (octets[at] == KEY_END[0]) & (octets[at + len(KEY_END) - 1] == KEY_END[-1])
    return ends


def _starts_of(octets: npt.NDArray[np.uint8], ends: Ints, has_mvcc: bool) -> tuple[Ints | None, Ints]:
    """Return the starts of the cells whose keys have contents with the given ends, and the lengths of the values.

    The first key of unknown length follows a cell whose end is known, and determines all keys of the same length. The
    starts are None if there are too many lengths, or if an end is not that of a key.
    """
    starts, values = np.full(len(ends), -1, np.int64), np.zeros(len(ends), np.int64)
    open_ = np.arange(len(ends))
    for _ in range(_MOST_LENGTHS):
        first = int(open_[0])
        start = 0 if not first else int(ends[first - 1]) + len(KEY_END) + int(values[first - 1]) + has_mvcc
        length = int(ends[first]) - HEAD_BYTES - start
        if length < 0:
            return None, values
        here = ends[open_] - length - HEAD_BYTES
        inside = here >= 0
        open_here, here = open_[inside], here[inside]
        fits = _numbers_at(octets, here + _LENGTHS.size, ">u2") == length
        fits[fits] = _numbers_at(octets, here[fits], ">i4") == length + KEY_EXTRA
        starts[open_here[fits]] = here[fits]
        values[open_here[fits]] = _numbers_at(octets, here[fits] + 4, ">i4")
        open_ = np.flatnonzero(starts < 0) if fits.any() else open_
        if not len(open_):
            return starts, values
        if int(open_[0]) == first:
            return None, values
    return None, values


def _vlong_bytes(first: int) -> int:
    """Return the number of bytes of a number in Hadoop's variable-length form, from its first byte."""
    signed = first - 256
    return -119 - signed if signed < -120 else -111 - signed
