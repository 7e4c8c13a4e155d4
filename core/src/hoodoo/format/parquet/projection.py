"""Projection of stored rows to the columns and types of the reader."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import SchemaError
from hoodoo.schema.struct_fields import fitted, has_other_fields

__all__ = ["check_columns_stored", "null_table", "project"]


def check_columns_stored(names: Collection[str], rows: int, schema: pa.Schema, what: str) -> None:
    """Check that a file with rows has each column that must not be null.

    Args:
        names: The names of the stored columns.
        rows: The number of stored rows.
        schema: The columns to read.
        what: Description of the file for messages.

    Raises:
        SchemaError: The file lacks such a column.
    """
    missing = [field.name for field in schema if field.name not in names and not field.nullable]
    if missing and rows:
        raise SchemaError(
            f"{what} has no column '{missing[0]}', which must not be null; make the column nullable",
            code="schema_fit",
        )


def project(batch: pa.RecordBatch | pa.Table, schema: pa.Schema, what: str) -> pa.Table:
    """Return a table of exactly the schema.

    Columns and nested fields are matched by name; missing ones are null, and narrower types are cast.

    Args:
        batch: Stored rows.
        schema: The columns to return.
        what: Description of the source for messages.

    Raises:
        SchemaError: A column cannot be cast.
        pa.ArrowInvalid: A dictionary column refers to values that are not in its dictionary.
    """
    columns = []
    for field in schema:
        index = batch.schema.get_field_index(field.name)
        if index < 0:
            columns.append(pa.nulls(batch.num_rows, field.type))
            continue
        column = batch.column(index)
        if pa.types.is_dictionary(column.type):
            # without decoding, the Parquet reader does not check the dictionary's indices
            column.validate(full=True)
        if column.type != field.type:
            try:
                column = _cast(column, field.type)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
                raise SchemaError(
                    f"column '{field.name}' of {what} has type {column.type}, which does not fit {field.type}: "
                    f"{error}; give the column a type that fits its stored values",
                    code="schema_fit",
                ) from error
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def null_table(schema: pa.Schema, rows: int) -> pa.Table:
    """Return a table of the schema in which every value is null."""
    return pa.Table.from_arrays([pa.nulls(rows, field.type) for field in schema], schema=schema)


def _cast(column: pa.Array, type_: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(type_):
        if not pa.types.is_dictionary(column.type):
            column = pc.dictionary_encode(pc.cast(column, type_.value_type))
        return pc.cast(column, type_)
    if has_other_fields(column.type, type_):
        return fitted(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column, type_, _cast)
    # Avro promotes integers to floats, with a loss of digits
    rounding = pa.types.is_integer(column.type) and pa.types.is_floating(type_)
    return pc.cast(column, type_, safe=not rounding)
