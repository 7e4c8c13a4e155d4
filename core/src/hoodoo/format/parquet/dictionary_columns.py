"""Choice of the columns for dictionary encoding."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from hoodoo.schema.meta_columns import META_COLUMNS

__all__ = ["low_cardinality_columns"]

_SAMPLE_ROWS = 4096
_ROWS_PER_VALUE = 4


def low_cardinality_columns(table: pa.Table) -> list[str]:
    """Return the flat data columns whose values occur at least four times on average in a sample of rows.

    A dictionary for any other column costs a third of the writing time and is abandoned in the middle of the file.
    """
    if table.num_rows > _SAMPLE_ROWS:
        # spread over the table, because neighbouring rows are often similar
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
