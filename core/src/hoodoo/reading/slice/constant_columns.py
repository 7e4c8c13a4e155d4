"""Filtering of base rows without decoding or copying columns with a single value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, field
from numpy.typing import NDArray

from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import REPEATED_COLUMNS, REPEATED_TYPE

__all__ = ["ConstantColumns"]


@define
class ConstantColumns:
    """Meta columns with few distinct values in a base file, which are half of the bytes of short rows.

    Attributes:
        schema: The columns of the filtered rows.
        read_schema: The same columns for reading base rows, with dictionary types for these meta columns.
    """

    schema: pa.Schema
    read_schema: pa.Schema
    _constants: dict[str, pa.Array] = field(init=False, factory=dict)

    @classmethod
    def unless_used(cls, schema: pa.Schema, used: pa.Schema) -> ConstantColumns:
        """Return the meta columns of this kind in a schema, except those whose values the merge uses."""
        names = {*REPEATED_COLUMNS} - {*used.names}
        read = [column.with_type(REPEATED_TYPE) if column.name in names else column for column in schema]
        return cls(schema, pa.schema(read))

    def filter(self, rows: pa.Table, kept: NDArray[np.bool_]) -> pa.Table:
        """Return the rows of a batch that a mask selects. The batch has `read_schema`, the result has `schema`."""
        mask = None if kept.all() else pa.array(kept)
        count = int(np.count_nonzero(kept))
        # filtering a table is slower than filtering its columns
        columns = [self._filtered(name, one_array(rows.column(name)), mask, count) for name in rows.column_names]
        return pa.Table.from_arrays(columns, schema=self.schema)

    def _filtered(self, name: str, column: pa.Array, mask: pa.Array | None, count: int) -> pa.Array:
        if not pa.types.is_dictionary(column.type):
            return column if mask is None else column.filter(mask)
        if len(column.dictionary) == 1 and not column.null_count:
            return self._constant(name, column.dictionary[0], len(column)).slice(0, count)
        return pc.dictionary_decode(column if mask is None else column.filter(mask))

    def _constant(self, name: str, value: pa.Scalar, length: int) -> pa.Array:
        """Return an array of at least `length` copies of a value; batches with the same value share its memory."""
        known = self._constants.get(name)
        if known is None or len(known) < length or known[0] != value:
            known = self._constants[name] = pa.repeat(value, length)
        return known
