"""Positions of the cells in a data block: a cell begins where the previous one ends, according to its lengths."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

__all__ = ["HEAD_BYTES", "KEY_END", "LENGTHS_BYTES", "cell_starts", "numbers_at"]

KEY_END = b"\0" + b"\x7f" + b"\xff" * 7 + b"\4"
"""The bytes between the content of a key and the value: no column family, the latest timestamp, and the type Put."""

_LENGTHS = struct.Struct(">ii")
LENGTHS_BYTES = _LENGTHS.size
HEAD_BYTES = LENGTHS_BYTES + 2
"""Bytes of a cell before the content of its key."""

_KEY_EXTRA = 2 + len(KEY_END)
"""Bytes of a key in addition to its content."""

_MOST_LENGTHS = 32
"""Number of distinct key lengths up to which `_by_marks` is faster than a loop over the cells."""

_FEW_BYTES = 4096

Ints = npt.NDArray[np.int64]


def cell_starts(data: bytes, *, has_mvcc: bool) -> Ints:
    """Return the start of each cell, and the end of the last one.

    Args:
        data: The content of the block.
        has_mvcc: Whether each cell ends with an MVCC number.

    Raises:
        ValueError: The bytes are not cells.
    """
    found = _by_marks(data, has_mvcc) if len(data) > _FEW_BYTES else None
    bounds = _one_by_one(data, has_mvcc) if found is None else found
    if (np.diff(bounds) < HEAD_BYTES + len(KEY_END)).any():
        raise ValueError("a cell that is shorter than an empty one")
    return bounds


def numbers_at(octets: npt.NDArray[np.uint8], at: Ints, type_: str) -> Ints:
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


def _one_by_one(data: bytes, has_mvcc: bool) -> Ints:
    starts: list[int] = []
    at, end, lengths_at, found = 0, len(data), _LENGTHS.unpack_from, starts.append
    try:
        # takes a third of a microsecond per cell
        while at < end:
            found(at)
            key, value = lengths_at(data, at)
            if key < 0 or value < 0:
                raise ValueError("a cell with a negative length")
            at += LENGTHS_BYTES + key + value
            if has_mvcc:
                byte = data[at]
                at += 1 if byte < 0x80 or byte >= 0x90 else _vlong_bytes(byte)
    except (struct.error, IndexError) as error:
        raise ValueError("a cell that is not complete") from error
    if at != end:
        raise ValueError("a cell that is not complete")
    found(at)
    return np.array(starts, np.int64)


def _by_marks(data: bytes, has_mvcc: bool) -> Ints | None:
    """Return the starts of cells by searching the bytes that end each key in all cells at once; None if this fails.

    The result is checked: the first cell starts at 0, and each cell ends where the next one starts.
    """
    octets = np.frombuffer(data, np.uint8)
    ends = _key_ends(octets)
    if not len(ends):
        return None
    starts, values = _starts_of(octets, ends, has_mvcc)
    if starts is None or starts[0] != 0:
        return None
    bounds = np.append(starts, len(data))
    after = ends + len(KEY_END) + values
    if has_mvcc:
        if after.max() >= len(data):
            return None
        numbers = octets[after]
        if ((numbers >= 0x80) & (numbers < 0x90)).any():
            return None
        after += 1
    return bounds if np.array_equal(after, bounds[1:]) else None


def _key_ends(octets: npt.NDArray[np.uint8]) -> Ints:
    """Return the positions at which `KEY_END` begins."""
    # the second byte is the rarest one
    found = np.flatnonzero(octets == KEY_END[1]) - 1
    found = found[(found >= HEAD_BYTES) & (found <= len(octets) - len(KEY_END))]
    for place, byte in enumerate(KEY_END):
        if place != 1:
            found = found[octets[found + place] == byte]
    return found


def _starts_of(octets: npt.NDArray[np.uint8], ends: Ints, has_mvcc: bool) -> tuple[Ints | None, Ints]:
    """Return the starts of the cells with the given ends of keys, and the lengths of their values.

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
        fits = numbers_at(octets, here + LENGTHS_BYTES, ">u2") == length
        fits[fits] = numbers_at(octets, here[fits], ">i4") == length + _KEY_EXTRA
        starts[open_here[fits]] = here[fits]
        values[open_here[fits]] = numbers_at(octets, here[fits] + 4, ">i4")
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
