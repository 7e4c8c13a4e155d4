"""Columns by dotted path: `a.b` is field b of struct a, unless a column is named `a.b`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import SchemaError

__all__ = [
    "EXAMPLES",
    "check_columns",
    "column_at",
    "decoded",
    "described",
    "examples_of",
    "field_at",
    "has_column",
    "is_text",
    "mask_advice",
    "null_array",
    "one_array",
]

EXAMPLES = 3


def is_text(type_: pa.DataType) -> bool:
    """Return whether a type is one of Arrow's string types; a dictionary of strings is not."""
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))


def has_column(schema: pa.Schema, name: str) -> bool:
    """Return whether the schema has a top-level column of the name.

    The look-up uses pyarrow's index, since `schema.names` builds a list of all names.
    """
    return bool(schema.get_all_field_indices(name))


def field_at(schema: pa.Schema, path: str) -> pa.Field | None:
    """Return the field at a dotted path; None if the schema has no such field."""
    if has_column(schema, path):
        return schema.field(path)
    root, _, rest = path.partition(".")
    if not rest or not has_column(schema, root):
        return None
    field = schema.field(root)
    for name in rest.split("."):
        if not pa.types.is_struct(field.type) or field.type.get_field_index(name) < 0:
            return None
        field = field.type.field(name)
    return field


def check_columns(schema: pa.Schema, names: Iterable[str], by: str) -> None:
    """Raise if the schema lacks one of the columns.

    Args:
        schema: The existing columns.
        names: The names of the required top-level columns.
        by: The source of the names, for the message.

    Raises:
        SchemaError: A column is missing (code `column_missing`); the message suggests similar names.
    """
    for name in names:
        if not has_column(schema, name):
            near = difflib.get_close_matches(name, schema.names, n=3)
            others = (
                f"did you mean {' or '.join(map(repr, near))}?" if near else f"use one of {', '.join(schema.names)}"
            )
            raise SchemaError(f"there is no column '{name}', which {by} names; {others}", code="column_missing")


def column_at(table: pa.Table | pa.RecordBatch, path: str) -> pa.Array | None:
    """Return the values at a dotted path as one array; None if there is no such column.

    A value is null if one of its parents is null.
    """
    if has_column(table.schema, path):
        return one_array(table.column(path))
    if field_at(table.schema, path) is None:
        return None
    root, _, rest = path.partition(".")
    return pc.struct_field(one_array(table.column(root)), rest.split("."))


def null_array(schema: pa.Schema, path: str, length: int) -> pa.Array:
    """Return `length` nulls of the type at the path, or of type null if the schema does not have the path."""
    field = field_at(schema, path)
    return pa.nulls(length, pa.null() if field is None else field.type)


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the values of a column as one contiguous array; chunks are copied only if there are several."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


def decoded(values: pa.Array) -> pa.Array:
    """Return the values of a dictionary as a plain array; other arrays as they are."""
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def examples_of(texts: pa.Array) -> str:
    """Return up to three distinct texts for an error message; bytes that are not UTF-8 are replaced."""
    found = texts.unique()[:EXAMPLES].cast(pa.binary()).to_pylist()
    return ", ".join("null" if text is None else repr(text.decode(errors="replace")) for text in found)


def mask_advice(value: Any) -> str:
    """Return advice for making a numpy mask from a value that a plugin returned instead; "" for other types."""
    if isinstance(value, (pa.Array, pa.ChunkedArray)) and pa.types.is_boolean(value.type):
        return "; a mask is a numpy array: write pc.fill_null(mask, False).to_numpy(zero_copy_only=False)"
    if isinstance(value, np.ndarray) and value.dtype == object:
        return "; a mask has no nulls: call pc.fill_null(mask, False) before to_numpy(zero_copy_only=False)"
    return "; a mask is a numpy array: write np.array(mask, dtype=bool)" if isinstance(value, list) else ""


def described(value: Any) -> str:
    """Return a description of a plugin's result for messages: the type, and the size of an array, but no values."""
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        values = "1 value" if len(value) == 1 else f"{len(value)} values"
        return f"{values} of type {value.type} ({value.null_count} null)"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and type {value.dtype}"
    return type(value).__name__
