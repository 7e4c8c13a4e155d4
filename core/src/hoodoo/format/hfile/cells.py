"""Cells of a data block: pairs of a key and a value, as Arrow arrays.

A cell has the lengths of its key and its value, the key, the value, and, if the file has them, a number of the writer's
concurrency control (MVCC). The key has the length of its content, the content, and what HBase needs besides: no column
family, the latest timestamp, and the type Put.
"""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import DataError
from hoodoo.format.avro.numpy_arrays import int64s, integers

__all__ = ["LONGEST_KEY", "Cells", "cell_key", "decode_cells", "encode_cells", "key_content"]

LONGEST_KEY = 32767
"""Maximum length of a key in bytes."""

_LENGTHS = struct.Struct(">ii")
_KEY_LENGTH = struct.Struct(">H")
_HEAD_BYTES = _LENGTHS.size + _KEY_LENGTH.size
_KEY_END = b"\0" + b"\x7f" + b"\xff" * 7 + b"\4"
_NO_MVCC = b"\0"
_PARTS = 5
"""Number of parts of a cell: lengths, content of the key, end of the key, value, MVCC number."""


@frozen
class Cells:
    """Consecutive cells.

    Attributes:
        keys: Contents of the keys (`large_binary`), in ascending order of bytes.
        values: The values (`large_binary`).
    """

    keys: pa.Array
    values: pa.Array

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def joined(cls, parts: list[Cells]) -> Cells:
        """Return the cells of several parts in their order."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            pa.concat_arrays([pa.array([], pa.large_binary()), *(part.keys for part in parts)]),
            pa.concat_arrays([pa.array([], pa.large_binary()), *(part.values for part in parts)]),
        )

    def filtered(self, mask: pa.Array) -> Cells:
        """Return the cells for which a mask is true."""
        return Cells(self.keys.filter(mask), self.values.filter(mask))


def cell_key(content: bytes) -> bytes:
    """Return a key with its length, as an index and the file info have it in Hudi."""
    return _KEY_LENGTH.pack(len(content)) + content


def key_content(key: bytes) -> bytes:
    """Return the content of a key with its length, of Hudi or HBase.

    Raises:
        ValueError: The key is not complete.
    """
    if len(key) < _KEY_LENGTH.size:
        raise ValueError(f"a key of {len(key)} bytes")
    (length,) = _KEY_LENGTH.unpack_from(key)
    if length > len(key) - _KEY_LENGTH.size:
        raise ValueError(f"a key of {len(key)} bytes, whose content should have {length}")
    return key[_KEY_LENGTH.size : _KEY_LENGTH.size + length]


def decode_cells(data: bytes, *, has_mvcc: bool) -> Cells:
    """Return the cells of a data block.

    Args:
        data: The content of the block.
        has_mvcc: Whether each cell ends with an MVCC number.

    Raises:
        ValueError: The bytes are not cells, or their keys are not in ascending order.
    """
    starts = _starts(data, has_mvcc)
    count = len(starts) - 1
    octets = np.frombuffer(data, np.uint8)
    first = starts[:-1]
    key_bytes = _numbers(octets, first, ">i4")
    value_bytes = _numbers(octets, first + 4, ">i4")
    content_bytes = _numbers(octets, first + _LENGTHS.size, ">u2")
    if (key_bytes != content_bytes + _KEY_LENGTH.size + len(_KEY_END)).any():
        raise ValueError("a key with a wrong length, or with a column family, which Hudi does not write")
    content_end = first + _HEAD_BYTES + content_bytes
    value_start = content_end + len(_KEY_END)
    ends = octets[content_end[:, np.newaxis] + np.arange(len(_KEY_END))]
    if (ends != np.frombuffer(_KEY_END, np.uint8)).any():
        raise ValueError("a key with a column family, a timestamp or a type that Hudi does not write")
    # all parts of all cells as one array, without a copy: the keys and values are taken from it
    offsets = np.empty(count * _PARTS + 1, np.int32)
    for part, start in enumerate((first, first + _HEAD_BYTES, content_end, value_start, value_start + value_bytes)):
        offsets[part:-1:_PARTS] = start
    offsets[-1] = len(data)
    parts = pa.Array.from_buffers(
        pa.binary(), count * _PARTS, [None, pa.py_buffer(offsets), pa.py_buffer(data if data else b"\0")]
    )
    places = np.arange(count) * _PARTS
    keys, values = (parts.take(integers(places + part)).cast(pa.large_binary()) for part in (1, 3))
    cells = Cells(keys, values)
    if count > 1 and not pc.all(pc.less_equal(cells.keys[:-1], cells.keys[1:])).as_py():
        raise ValueError("keys that are not in ascending order")
    return cells


def _starts(data: bytes, has_mvcc: bool) -> npt.NDArray[np.int64]:
    """Return the start of each cell, and the end of the last one."""
    starts: list[int] = []
    at, end, lengths_at, found = 0, len(data), _LENGTHS.unpack_from, starts.append
    try:
        # the only Python loop over cells: a third of a microsecond each
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
    bounds = np.array(starts, np.int64)
    if (np.diff(bounds) < _HEAD_BYTES + len(_KEY_END)).any():
        raise ValueError("a cell that is shorter than an empty one")
    return bounds


def _vlong_bytes(first: int) -> int:
    """Return the length of a number in Hadoop's form of several bytes, by its first one."""
    signed = first - 256
    return -119 - signed if signed < -120 else -111 - signed


def _numbers(octets: npt.NDArray[np.uint8], at: npt.NDArray[np.int64], type_: str) -> npt.NDArray[np.int64]:
    size = np.dtype(type_).itemsize
    rows = np.ascontiguousarray(octets[at[:, np.newaxis] + np.arange(size)])
    return rows.view(type_).reshape(-1).astype(np.int64)


def encode_cells(cells: Cells) -> pa.Array:
    """Return the bytes of each cell (`large_binary`), with the MVCC number 0; their data are contiguous.

    Args:
        cells: Cells whose keys are in ascending order.

    Raises:
        DataError: A key is too long, or the keys are not in ascending order.
    """
    keys = cells.keys.cast(pa.large_binary())
    values = cells.values.cast(pa.large_binary())
    key_bytes = int64s(pc.binary_length(keys))
    if len(keys) and key_bytes.max() > LONGEST_KEY:
        raise DataError(f"a key of {key_bytes.max()} bytes; an HFile has keys of at most {LONGEST_KEY} bytes")
    if keys.null_count or values.null_count:
        raise DataError("a cell of an HFile without a key or a value")
    if len(keys) > 1 and not pc.all(pc.less_equal(keys[:-1], keys[1:])).as_py():
        raise DataError("the keys of an HFile must be in ascending order of their bytes")
    heads = np.empty(len(keys), [("key", ">i4"), ("value", ">i4"), ("content", ">u2")])
    heads["key"] = key_bytes + _KEY_LENGTH.size + len(_KEY_END)
    heads["value"] = int64s(pc.binary_length(values))
    heads["content"] = key_bytes
    head = pa.Array.from_buffers(
        pa.binary(_HEAD_BYTES), len(keys), [None, pa.py_buffer(heads.tobytes() or b"\0")]
    ).cast(pa.large_binary())
    return pc.binary_join_element_wise(
        head,
        keys,
        pa.scalar(_KEY_END, pa.large_binary()),
        values,
        pa.scalar(_NO_MVCC, pa.large_binary()),
        pa.scalar(b"", pa.large_binary()),
    )
