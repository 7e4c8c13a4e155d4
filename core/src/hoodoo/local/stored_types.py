"""Conversion of the types of other libraries to those of a table: views, large strings, categories, nanoseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.errors import SchemaError
from hoodoo.schema.avro_encode import stored_schema

if TYPE_CHECKING:
    import polars as pl
    from polars.datatypes import DataTypeClass

__all__ = ["storable_schema", "to_stored_types"]


def storable_schema(schema: pa.Schema) -> pa.Schema:
    """Return the columns as a table stores them.

    Text and bytes become `string` and `binary`, categories their values, integers `int32` or `int64`, and timestamps
    microseconds of zone UTC.

    Raises:
        SchemaError: A table cannot have a column of this name or type; the message states what to do.
    """
    fields = [column.with_type(_plain(column.type)) for column in schema]
    return stored_schema(pa.schema(fields))


def to_stored_types(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return rows in the types of `storable_schema`.

    Raises:
        SchemaError: A value does not fit the type, such as a timestamp with nanoseconds, or pyarrow cannot convert the
            column.
    """
    columns = [_converted(column, wanted) for column, wanted in zip(rows.columns, schema, strict=True)]
    # the task that merges the rows reports nulls in columns that are declared not null, with the keys of the rows
    return pa.table(columns, schema=pa.schema([column.with_nullable(True) for column in schema]))


def _converted(column: pa.ChunkedArray, wanted: pa.Field) -> pa.ChunkedArray:
    if column.type == wanted.type:
        return column
    try:
        return _cast(column, wanted.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        advice = "cast the column before writing"
        if "lose data" in str(error) and "timestamp[ns" in str(column.type):
            advice = "a table stores microseconds: round or truncate the values to microseconds before writing"
        raise SchemaError(
            f"column '{wanted.name}' has type {column.type} and is stored as {wanted.type}: {error}; {advice}",
            code="column_type",
        ) from error


def _cast(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    if isinstance(column.type, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    try:
        return column.cast(wanted)
    except pa.ArrowNotImplementedError:
        # pyarrow lacks kernels for dictionaries of views, as Polars exports categories; Polars has them
        import polars as pl

        series = pl.Series(pl.from_arrow(column))
        return pa.chunked_array([series.cast(_without_categories(series.dtype)).to_arrow()]).cast(wanted)


def _without_categories(kind: pl.DataType) -> pl.DataType:
    import polars as pl

    if isinstance(kind, (pl.Categorical, pl.Enum)):
        return pl.String()
    if isinstance(kind, pl.List):
        return pl.List(_without_categories(_instance(kind.inner)))
    if isinstance(kind, pl.Array):
        return pl.Array(_without_categories(_instance(kind.inner)), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct([pl.Field(part.name, _without_categories(_instance(part.dtype))) for part in kind.fields])
    return kind


def _instance(kind: pl.DataType | DataTypeClass) -> pl.DataType:
    return kind() if isinstance(kind, type) else kind


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return a type with microseconds for zoned nanoseconds, and with text for Arrow's JSON type, at any depth."""
    if getattr(kind, "extension_name", "") == "arrow.json":
        return kind.storage_type
    if pa.types.is_timestamp(kind) and kind.unit == "ns" and kind.tz is not None:
        return pa.timestamp("us", kind.tz)
    if pa.types.is_struct(kind):
        return pa.struct([_plain_field(kind.field(n)) for n in range(kind.num_fields)])
    if pa.types.is_list(kind):
        return pa.list_(_plain_field(kind.value_field))
    if pa.types.is_large_list(kind):
        return pa.large_list(_plain_field(kind.value_field))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_plain_field(kind.value_field), kind.list_size)
    if pa.types.is_map(kind):
        return pa.map_(kind.key_field, _plain_field(kind.item_field))
    return kind


def _plain_field(column: pa.Field) -> pa.Field:
    return column.with_type(_plain(column.type))
