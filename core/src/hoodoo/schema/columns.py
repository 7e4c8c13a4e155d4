"""Columns by dotted path: `a.b` is field b of struct a; a column whose own name holds a dot comes first."""

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
    "described",
    "examples_of",
    "field_at",
    "has_column",
    "is_text",
    "null_array",
    "one_array",
]

EXAMPLES = 3


def is_text(type_: pa.DataType) -> bool:
    """Return whether a type is one of Arrow's types of strings; a dictionary of strings is not."""
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))


def has_column(schema: pa.Schema, name: str) -> bool:
    """Return whether a top-level column has the name, by pyarrow's index: `schema.names` makes a list of all names."""
    return bool(schema.get_all_field_indices(name))


def field_at(schema: pa.Schema, path: str) -> pa.Field | None:
    """The field at a dotted path, or None where there is none."""
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
    """Refuse names that no column has; `by` is what gives them, for the message.

    Raises:
        SchemaError: there is no such column (code `column_missing`); near ones are named.
    """
    for name in names:
        if not has_column(schema, name):
            near = difflib.get_close_matches(name, schema.names, n=3)
            others = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {', '.join(schema.names)}"
            raise SchemaError(f"there is no column '{name}', which {by} names; {others}", code="column_missing")


def column_at(table: pa.Table | pa.RecordBatch, path: str) -> pa.Array | None:
    """The values at a dotted path as one array (null where a parent is null), or None where there is no such column."""
    if has_column(table.schema, path):
        return one_array(table.column(path))
    if field_at(table.schema, path) is None:
        return None
    root, _, rest = path.partition(".")
    return pc.struct_field(one_array(table.column(root)), rest.split("."))


def null_array(schema: pa.Schema, path: str, length: int) -> pa.Array:
    """`length` nulls of the type that the schema gives the path; of type null where it has none."""
    field = field_at(schema, path)
    return pa.nulls(length, pa.null() if field is None else field.type)


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The values of a column in one piece, which are copied only where they are not in one already."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


def examples_of(texts: pa.Array) -> str:
    """The first of some different texts as a message shows them, whatever bytes they are made of."""
    found = texts.unique()[:EXAMPLES].cast(pa.binary()).to_pylist()
    return ", ".join("null" if text is None else repr(text.decode(errors="replace")) for text in found)


def described(value: Any) -> str:
    """What a plugin answered with, as messages show it: length and type, never the values."""
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        return f"{len(value)} values of type {value.type} ({value.null_count} null)"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and type {value.dtype}"
    return type(value).__name__
