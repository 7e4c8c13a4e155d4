"""Arrow arrays from numpy's and back, where pyarrow's own way would import pandas: a second, if it is installed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

__all__ = ["bitmap", "booleans", "int64s", "integers", "validity"]


def integers(values: npt.NDArray[np.int64], valid: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Int64 values, null where they are not valid."""
    data = pa.py_buffer(np.ascontiguousarray(values, np.int64))
    return pa.Array.from_buffers(pa.int64(), len(values), [None if valid is None else bitmap(valid), data])


def booleans(values: npt.NDArray[np.bool_]) -> pa.Array:
    """Booleans, none of them null."""
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, bitmap(values)])


def bitmap(values: npt.NDArray[np.bool_]) -> pa.Buffer:
    """Booleans in Arrow's packing."""
    return pa.py_buffer(np.packbits(values, bitorder="little"))


def int64s(values: pa.Array) -> npt.NDArray[np.int64]:
    """The values of integers without nulls."""
    values = values.cast(pa.int64())
    return np.frombuffer(values.buffers()[1], np.int64)[values.offset : values.offset + len(values)]


def validity(values: pa.Array) -> npt.NDArray[np.bool_]:
    """Which values are not null."""
    bits = values.buffers()[0]
    if bits is None:
        return np.ones(len(values), np.bool_)
    unpacked = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")
    return unpacked[values.offset : values.offset + len(values)].astype(np.bool_)
