"""Avro encoding of the values of a column, for all rows at once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.format.avro.numpy_arrays import int64s

__all__ = ["encoded", "varints"]

_MOST_BYTES = 10


def encoded(values: pa.Array) -> pa.Array:
    """Return the Avro bytes of each value (`binary`).

    Args:
        values: Booleans, integers, floats, strings or bytes, without nulls.
    """
    type_ = values.type
    if pa.types.is_boolean(type_):
        data = np.asarray(values.cast(pa.uint8()).to_numpy(zero_copy_only=False))
        return pa.Array.from_buffers(pa.binary(1), len(values), [None, pa.py_buffer(data)]).cast(pa.binary())
    if pa.types.is_integer(type_):
        return varints(int64s(values))
    if pa.types.is_floating(type_):
        size = type_.bit_width // 8
        data = values.buffers()[1].slice(values.offset * size, len(values) * size)
        return pa.Array.from_buffers(pa.binary(size), len(values), [None, data]).cast(pa.binary())
    content = values.cast(pa.binary())
    return pc.binary_join_element_wise(varints(int64s(pc.binary_length(content))), content, b"")


def varints(numbers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> pa.Array:
    """Return the Avro bytes of each number (`binary`): its zigzag form, seven bits to a byte, the lowest bits first."""
    rest = ((numbers << 1) ^ (numbers >> 63)).view(np.uint64)
    digits = np.empty((len(numbers), _MOST_BYTES), np.uint8)
    used = np.zeros((len(numbers), _MOST_BYTES), np.bool_)
    for place in range(_MOST_BYTES):
        more = rest >> np.uint64(7)
        used[:, place] = (rest != 0) | (place == 0)
        digits[:, place] = (rest & np.uint64(0x7F)) | np.where(more != 0, np.uint64(0x80), np.uint64(0))
        rest = more
        if not rest.any():
            break
    offsets = np.zeros(len(numbers) + 1, np.int32)
    np.cumsum(used.sum(axis=1), out=offsets[1:])
    return pa.Array.from_buffers(
        pa.binary(), len(numbers), [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(digits[used]))]
    )
