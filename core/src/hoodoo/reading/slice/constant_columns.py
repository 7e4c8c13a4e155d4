"""Base rows of which some stay: columns that repeat a value are neither decoded nor copied for it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, field
from numpy.typing import NDArray

from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import REPEATED_COLUMNS, REPEATED_TYPE

__all__ = ["Repeated"]


@define
class Repeated:
    """The meta columns of which a base file has few values, and which make up half of the bytes of short rows.

    Attributes:
        schema: The columns that rows are given in.
        read_schema: The same, as base rows are to be read: these columns as dictionaries.
    """

    schema: pa.Schema
    read_schema: pa.Schema
    _constants: dict[str, pa.Array] = field(init=False, factory=dict)

    @classmethod
    def beside(cls, schema: pa.Schema, looked_at: pa.Schema) -> Repeated:
        """Those of a schema's columns that nobody looks at before rows are given."""
        names = {*REPEATED_COLUMNS} - {*looked_at.names}
        read = [column.with_type(REPEATED_TYPE) if column.name in names else column for column in schema]
        return cls(schema, pa.schema(read))

    def kept(self, rows: pa.Table, kept: NDArray[np.bool_]) -> pa.Table:
        """Some of a batch of rows, which are in the columns of `read_schema`."""
        mask = None if kept.all() else pa.array(kept)
        count = int(np.count_nonzero(kept))
        # a table is filtered more slowly than its columns are
        columns = [self._kept(name, one_array(rows.column(name)), mask, count) for name in rows.column_names]
        return pa.Table.from_arrays(columns, schema=self.schema)

    def _kept(self, name: str, column: pa.Array, mask: pa.Array | None, count: int) -> pa.Array:
        if not pa.types.is_dictionary(column.type):
            return column if mask is None else column.filter(mask)
        if len(column.dictionary) == 1 and not column.null_count:
            return self._constant(name, column.dictionary[0], len(column)).slice(0, count)
        return pc.dictionary_decode(column if mask is None else column.filter(mask))

    def _constant(self, name: str, value: pa.Scalar, length: int) -> pa.Array:
        """One value at least so many times: the same memory for all batches that have it."""
        known = self._constants.get(name)
        if known is None or len(known) < length or known[0] != value:
            known = self._constants[name] = pa.repeat(value, length)
        return known
