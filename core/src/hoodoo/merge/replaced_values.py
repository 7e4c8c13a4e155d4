"""A column of a batch in which some rows get new values and others are removed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from attrs import field, frozen
from numpy.typing import NDArray

__all__ = ["Replacement"]

Rows = NDArray[np.int64]
_NUMBERS = {8: "i1", 16: "i2", 32: "i4", 64: "i8"}


@frozen(eq=False)
class Replacement:
    """Replacement of rows of a batch, the same for each of its columns.

    Attributes:
        length: Number of rows of the batch.
        rows: The positions of the rows that get a new value, in the order of these values.
        keep: The positions of the rows that remain, in order.
        source: For each row of the batch, its position among the old values followed by the new ones.
    """

    length: int
    rows: Rows
    keep: Rows
    source: Rows = field(init=False)
    _kept_source: pa.Array = field(init=False)

    @source.default
    def _positions(self) -> Rows:
        source = np.arange(self.length)
        source[self.rows] = self.length + np.arange(len(self.rows))
        return source

    @_kept_source.default
    def _kept_positions(self) -> pa.Array:
        return pa.array(self.source if len(self.keep) == self.length else self.source[self.keep])

    def __call__(self, old: pa.Array, new: pa.Array) -> pa.Array:
        """Return the remaining rows of a column.

        Args:
            old: The values of the batch.
            new: One value of the same type per replaced row.
        """
        kind = _NUMBERS.get(old.type.bit_width) if pa.types.is_primitive(old.type) else None
        if kind is None or old.null_count or new.null_count:
            return pa.concat_arrays([old, new]).take(self._kept_source)
        # this makes one copy, and `take` after `concat_arrays` two
        values = _numbers(old, kind).copy()
        values[self.rows] = _numbers(new, kind)
        if len(self.keep) < self.length:
            values = values[self.keep]
        return pa.Array.from_buffers(old.type, len(values), [None, pa.py_buffer(values)])


def _numbers(values: pa.Array, kind: str) -> NDArray[np.int64]:
    """Return the bits of values without nulls as integers."""
    if not len(values):
        return np.empty(0, dtype=kind)
    found: NDArray[np.int64] = np.frombuffer(values.buffers()[1], dtype=kind)
    return found[values.offset : values.offset + len(values)]
