"""Spark's types as Arrow types; nothing is evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.errors import SchemaError

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

__all__ = ["arrow_schema"]

_PLAIN = {
    "string": pa.string(),
    "char": pa.string(),
    "varchar": pa.string(),
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "byte": pa.int32(),
    "short": pa.int32(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}


def arrow_schema(schema: StructType) -> pa.Schema:
    """The Arrow schema that rows of a Spark schema are stored with; bytes and shorts become int, as Hudi stores them.

    Raises:
        SchemaError: a type that a Hudi table cannot hold.
    """
    return pa.schema([pa.field(f.name, _type(f.dataType, f.name), f.nullable) for f in schema.fields])


def _type(type_: DataType, path: str) -> pa.DataType:
    kind = type_.typeName()
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind == "decimal":
        return pa.decimal128(type_.precision, type_.scale)  # type: ignore[attr-defined]
    if kind == "array":
        item = _type(type_.elementType, f"{path}[]")  # type: ignore[attr-defined]
        return pa.list_(pa.field("element", item, type_.containsNull))  # type: ignore[attr-defined]
    if kind == "map":
        key, value = _type(type_.keyType, f"{path} keys"), _type(type_.valueType, f"{path} values")  # type: ignore[attr-defined]
        return pa.map_(key, pa.field("value", value, type_.valueContainsNull))  # type: ignore[attr-defined]
    if kind == "struct":
        fields = [pa.field(f.name, _type(f.dataType, f"{path}.{f.name}"), f.nullable) for f in type_.fields]  # type: ignore[attr-defined]
        return pa.struct(fields)
    advice = "cast it to timestamp" if kind == "timestamp_ntz" else "cast it to another type or leave it out"
    raise SchemaError(f"column '{path}' has type {type_.simpleString()}, which a Hudi table cannot hold; {advice}")
