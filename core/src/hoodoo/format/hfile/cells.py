"""Cells of a data block: pairs of a key and a value, as Arrow arrays.

A cell has the length of its key, the length of its value, the key and the value. In some files, a number of the
writer's concurrency control (MVCC) follows each value. The key has the length of its content, the content, and the
fields of HBase: no column family, the latest timestamp, and the type Put.
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
from hoodoo.format.hfile.cell_places import HEAD_BYTES, KEY_END, KEY_EXTRA, cell_places

__all__ = ["LONGEST_KEY", "BlockCells", "Cells", "cell_key", "decode_cells", "encode_cells", "key_content"]

LONGEST_KEY = 32767
"""Maximum length of a key in bytes."""

_KEY_LENGTH = struct.Struct(">H")
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
    """Return the length and the content of a key, the form of keys in Hudi's indexes and file infos."""
    return _KEY_LENGTH.pack(len(content)) + content


def key_content(key: bytes) -> bytes:
    """Return the content of a key that begins with its length, as Hudi and HBase write it.

    Raises:
        ValueError: The key is not complete.
    """
    if len(key) < _KEY_LENGTH.size:
        raise ValueError("a key that is too short for a length")
    (length,) = _KEY_LENGTH.unpack_from(key)
    if length > len(key) - _KEY_LENGTH.size:
        raise ValueError(f"a key of {len(key)} bytes, whose content should have {length}")
    return key[_KEY_LENGTH.size : _KEY_LENGTH.size + length]


@frozen(eq=False)
class BlockCells:
    """Cells of a data block; values are copied only for the cells that a method returns.

    Attributes:
        keys: Contents of the keys (`large_binary`), in ascending order of bytes.
    """

    keys: pa.Array
    _parts: pa.Array

    def __len__(self) -> int:
        return len(self.keys)

    def all(self) -> Cells:
        """Return all cells."""
        return Cells(self.keys, self._values(np.arange(len(self.keys))))

    def of_keys(self, wanted: pa.Array) -> Cells:
        """Return the cells with the given keys (`large_binary`)."""
        if len(self.keys):
            # a small set: `is_in` makes a hash table of it for each block
            above, below = pc.greater_equal(wanted, self.keys[0]), pc.less_equal(wanted, self.keys[-1])
            wanted = wanted.filter(pc.and_(above, below))
        mask = pc.is_in(self.keys, value_set=wanted)
        return Cells(self.keys.filter(mask), self._values(np.flatnonzero(mask.to_numpy(zero_copy_only=False))))

    def _values(self, cells: npt.NDArray[np.int64]) -> pa.Array:
        return self._parts.take(integers(cells * _PARTS + 3)).cast(pa.large_binary())


def decode_cells(data: bytes, *, has_mvcc: bool) -> BlockCells:
    """Return the cells of a data block.

    Args:
        data: The content of the block.
        has_mvcc: Whether each cell ends with an MVCC number.

    Raises:
        ValueError: The bytes are not cells, or their keys are not in ascending order.
    """
    places = cell_places(data, has_mvcc=has_mvcc)
    count = len(places)
    # all parts of all cells as one array without a copy, of which the keys and values are selected
    offsets = np.empty(count * _PARTS + 1, np.int32)
    for part, start in enumerate((places.starts, places.contents, places.key_ends, places.values, places.value_ends)):
        offsets[part:-1:_PARTS] = start
    offsets[-1] = len(data)
    parts = pa.Array.from_buffers(
        pa.binary(), count * _PARTS, [None, pa.py_buffer(offsets), pa.py_buffer(data if data else b"\0")]
    )
    keys = parts.take(integers(np.arange(count) * _PARTS + 1)).cast(pa.large_binary())
    if count > 1 and not pc.all(pc.less_equal(keys[:-1], keys[1:])).as_py():
        raise ValueError("keys that are not in ascending order")
    return BlockCells(keys, parts)


def encode_cells(cells: Cells) -> pa.Array:
    """Return the bytes of each cell (`large_binary`), with the MVCC number 0, contiguous in one buffer.

    Args:
        cells: Cells whose keys are in ascending order.

    Raises:
        DataError: A key is too long, a key or a value is null, or the keys are not in ascending order.
    """
    keys = cells.keys.cast(pa.large_binary())
    values = cells.values.cast(pa.large_binary())
    key_bytes = int64s(pc.binary_length(keys))
    if len(keys) and key_bytes.max() > LONGEST_KEY:
        raise DataError(
            f"a key has {key_bytes.max()} bytes; shorten it to at most {LONGEST_KEY} bytes, the limit of an HFile"
        )
    if keys.null_count or values.null_count:
        raise DataError("a cell of an HFile has a null as key or value; both must be bytes")
    if len(keys) > 1 and not pc.all(pc.less_equal(keys[:-1], keys[1:])).as_py():
        raise DataError("the keys of an HFile must be in ascending order of their bytes; sort the cells")
    heads = np.empty(len(keys), [("key", ">i4"), ("value", ">i4"), ("content", ">u2")])
    heads["key"] = key_bytes + KEY_EXTRA
    heads["value"] = int64s(pc.binary_length(values))
    heads["content"] = key_bytes
    head = pa.Array.from_buffers(pa.binary(HEAD_BYTES), len(keys), [None, pa.py_buffer(heads.tobytes() or b"\0")]).cast(
        pa.large_binary()
    )
    return pc.binary_join_element_wise(
        head,
        keys,
        pa.scalar(KEY_END, pa.large_binary()),
        values,
        pa.scalar(_NO_MVCC, pa.large_binary()),
        pa.scalar(b"", pa.large_binary()),
    )
