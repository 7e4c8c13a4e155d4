"""Conversion between numpy and Arrow arrays.

pyarrow's own conversion imports pandas if it is installed, which takes a second.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

__all__ = ["bitmap", "booleans", "int64s", "integers", "validity"]


def integers(values: npt.NDArray[np.int64], valid: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Return an Arrow array of int64 values, null where `valid` is false; without `valid` it has no nulls."""
    data = pa.py_buffer(np.ascontiguousarray(values, np.int64))
    return pa.Array.from_buffers(pa.int64(), len(values), [None if valid is None else bitmap(valid), data])


def booleans(values: npt.NDArray[np.bool_]) -> pa.Array:
    """Return an Arrow array of booleans without nulls."""
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, bitmap(values)])


def bitmap(values: npt.NDArray[np.bool_]) -> pa.Buffer:
    """Return booleans packed as an Arrow bitmap."""
    return pa.py_buffer(np.packbits(values, bitorder="little"))


def int64s(values: pa.Array) -> npt.NDArray[np.int64]:
    """Return the values of an Arrow array of integers without nulls."""
    values = values.cast(pa.int64())
    return np.frombuffer(values.buffers()[1], np.int64)[values.offset : values.offset + len(values)]


def validity(values: pa.Array) -> npt.NDArray[np.bool_]:
    """Return a mask of the values that are not null."""
    bits = values.buffers()[0]
    if bits is None:
        return np.ones(len(values), np.bool_)
    unpacked = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")
    return unpacked[values.offset : values.offset + len(values)].astype(np.bool_)
