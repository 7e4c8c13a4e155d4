"""Choice of the columns for dictionary encoding, and of those that are read without decoding."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hoodoo.schema.meta_columns import META_COLUMNS, REPEATED_TYPE

__all__ = ["low_cardinality_columns", "with_dictionaries"]

_SAMPLE_ROWS = 4096
_ROWS_PER_VALUE = 4
_BYTES_OF_LENGTH = 4
"""Number of bytes in which Parquet stores the length of a text outside a dictionary."""


def low_cardinality_columns(table: pa.Table) -> list[str]:
    """Return the names of the flat data columns whose values occur four times or more on average in sampled rows.

    Columns of booleans and of dictionaries are not returned.

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


def with_dictionaries(file: pq.ParquetFile, schema: pa.Schema) -> pa.Schema:
    """Return a schema in which text columns that the file stores only with dictionaries have a dictionary type.

    Args:
        file: A file that `open_parquet` opened with the schema.
        schema: The columns to read.
    """
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    texts = {field.name for field in file.schema_arrow if field.type == pa.string()} if groups else set()
    leaves = {path[0]: number for number, path in enumerate(file.reader.column_paths) if path[0] in texts}
    fields = []
    for field in schema:
        at = leaves.get(field.name)
        if field.type == pa.string() and at is not None and all(_is_encoded(group.column(at)) for group in groups):
            field = field.with_type(REPEATED_TYPE)
        fields.append(field)
    return pa.schema(fields)


def _is_encoded(chunk: pq.ColumnChunkMetaData) -> bool:
    """Return whether a chunk is smaller than the lengths of its texts would be without a dictionary."""
    return bool(chunk.has_dictionary_page) and chunk.total_uncompressed_size < _BYTES_OF_LENGTH * chunk.num_values


def _countable(type_: pa.DataType) -> bool:
    return not (pa.types.is_nested(type_) or pa.types.is_boolean(type_) or pa.types.is_dictionary(type_))
