"""Rows as a file holds them, in the columns and types that the reader wants."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import SchemaError

__all__ = ["fitted", "nulls"]


def fitted(batch: pa.RecordBatch | pa.Table, schema: pa.Schema, what: str) -> pa.Table:
    """A table of exactly the schema: columns by name, absent ones null, narrower types cast.

    Args:
        batch: Rows as they are stored.
        schema: The columns wanted.
        what: Where the rows come from, for messages.

    Raises:
        SchemaError: A column cannot be cast.
        pa.ArrowInvalid: A column is a dictionary, and refers to values that are not in it.
    """
    columns = []
    for field in schema:
        index = batch.schema.get_field_index(field.name)
        if index < 0:
            columns.append(pa.nulls(batch.num_rows, field.type))
            continue
        column = batch.column(index)
        if pa.types.is_dictionary(column.type):
            # a reader of Parquet that does not decode does not look whether there is such a value
            column.validate(full=True)
        if column.type != field.type:
            try:
                column = _cast(column, field.type)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
                raise SchemaError(
                    f"column '{field.name}' of {what} has type {column.type}, which does not fit {field.type}: {error}",
                    code="schema_fit",
                ) from error
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def nulls(schema: pa.Schema, rows: int) -> pa.Table:
    """A table of the schema with nothing but nulls."""
    return pa.Table.from_arrays([pa.nulls(rows, field.type) for field in schema], schema=schema)


def _cast(column: pa.Array, type_: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(type_):
        if not pa.types.is_dictionary(column.type):
            column = pc.dictionary_encode(pc.cast(column, type_.value_type))
        return pc.cast(column, type_)
    # Avro lets integers become floats, at the cost of digits beyond the float's own
    rounding = pa.types.is_integer(column.type) and pa.types.is_floating(type_)
    return pc.cast(column, type_, safe=not rounding)
