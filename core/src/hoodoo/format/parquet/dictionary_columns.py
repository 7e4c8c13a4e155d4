"""Which columns repeat their values so much that a dictionary pays."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from hoodoo.schema.meta_columns import META_COLUMNS

__all__ = ["low_cardinality_columns"]

_SAMPLE_ROWS = 4096
_ROWS_PER_VALUE = 4


def low_cardinality_columns(table: pa.Table) -> list[str]:
    """Columns of a table, without meta and nested ones, whose values come four times each or more in a sample.

    A dictionary on any other column costs a third of the writing time and is given up half-way through the file.
    """
    if table.num_rows > _SAMPLE_ROWS:
        # spread over the table: rows beside each other are often alike
        rows = np.linspace(0, table.num_rows - 1, _SAMPLE_ROWS).astype(np.int64)
        table = table.take(pa.array(rows))
    limit = table.num_rows // _ROWS_PER_VALUE
    return [
        field.name
        for field, column in zip(table.schema, table.columns, strict=True)
        if field.name not in META_COLUMNS and _countable(field.type) and len(column.unique()) <= limit
    ]


def _countable(type_: pa.DataType) -> bool:
    return not (pa.types.is_nested(type_) or pa.types.is_boolean(type_) or pa.types.is_dictionary(type_))
