"""Conversion between Spark types and Arrow types; no DataFrame is evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.errors import SchemaError
from hoodoo.schema.comments import comment_of, comments_of, with_comment, with_comments

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructField, StructType

__all__ = ["arrow_schema", "is_same_type", "quote", "quoted", "spark_arrow_schema", "spark_schema"]

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
    """Return the Arrow schema in which rows of a Spark schema are stored. Bytes and shorts become int, as in Hudi.

    Comments of columns and of fields of structs are kept.

    Raises:
        SchemaError: A column has a type that a Hudi table cannot hold.
    """
    return pa.schema([_field(f, f.name) for f in schema.fields])


def _field(field: StructField, path: str) -> pa.Field:
    found = pa.field(field.name, _type(field.dataType, path), field.nullable)
    comment = (field.metadata or {}).get("comment")
    return with_comment(found, comment) if isinstance(comment, str) else found


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
        return pa.struct([_field(f, f"{path}.{f.name}") for f in type_.fields])  # type: ignore[attr-defined]
    advice = "cast it to timestamp" if kind == "timestamp_ntz" else "cast it to another type or leave it out"
    raise SchemaError(
        f"column '{path}' has type {type_.simpleString()}, which a Hudi table cannot hold; {advice}", code="column_type"
    )


def is_same_type(one: DataType, other: DataType) -> bool:
    """Return whether two Spark types are equal. Comments of fields, which PySpark compares, are ignored."""
    return one == other or _without_comments(one) == _without_comments(other)


def _without_comments(type_: DataType) -> DataType:
    from pyspark.sql import types as T

    if isinstance(type_, T.ArrayType):
        return T.ArrayType(_without_comments(type_.elementType), type_.containsNull)
    if isinstance(type_, T.MapType):
        return T.MapType(type_.keyType, _without_comments(type_.valueType), type_.valueContainsNull)
    if isinstance(type_, T.StructType):
        return T.StructType([T.StructField(f.name, _without_comments(f.dataType), f.nullable) for f in type_.fields])
    return type_


def quoted(names: Iterable[str]) -> list[str]:
    """Return quoted column names for `select`; the names may contain any characters.

    They are strings, because PySpark takes some milliseconds for each `Column` to find the calling line of the program.
    """
    return [quote(name) for name in names]


def quote(name: str) -> str:
    """Return a quoted column name, which may contain any characters."""
    return "`" + name.replace("`", "``") + "`"


def spark_schema(schema: pa.Schema) -> StructType:
    """Return the Spark schema with which stored columns are read, with the comments of columns and fields.

    All columns are nullable, as in all DataFrames that Spark reads from files.

    Raises:
        SchemaError: Spark does not have the type of a column.
    """
    from pyspark.sql.types import StructType

    accepted = with_comments(spark_arrow_schema(schema), comments_of(schema))
    return StructType([_spark_field(field) for field in accepted])


def _spark_field(field: pa.Field) -> StructField:
    from pyspark.sql.types import StructField

    comment = comment_of(field)
    return StructField(
        field.name, _spark_type(field.type, field.name), True, None if comment is None else {"comment": comment}
    )


def spark_arrow_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema in Arrow types that Spark accepts: times of day become numbers, as in Hudi.

    Binary values of a fixed size become binary values of any size. All fields are nullable, and have no comments.
    """
    return pa.schema([pa.field(f.name, _spark_arrow_type(f.type)) for f in schema])


def _spark_arrow_type(type_: pa.DataType) -> pa.DataType:
    if pa.types.is_fixed_size_binary(type_):
        return pa.binary()
    if pa.types.is_time32(type_):
        return pa.int32()
    if pa.types.is_time64(type_):
        return pa.int64()
    if pa.types.is_list(type_):
        return pa.list_(type_.value_field.with_type(_spark_arrow_type(type_.value_type)).with_nullable(True))
    if pa.types.is_map(type_):
        return pa.map_(_spark_arrow_type(type_.key_type), pa.field("value", _spark_arrow_type(type_.item_type)))
    if pa.types.is_struct(type_):
        return pa.struct([pa.field(f.name, _spark_arrow_type(f.type)) for f in type_])
    return type_


def _spark_type(type_: pa.DataType, column: str) -> DataType:
    from pyspark.sql import types as T

    plain = {
        pa.string(): T.StringType(),
        pa.binary(): T.BinaryType(),
        pa.bool_(): T.BooleanType(),
        pa.int32(): T.IntegerType(),
        pa.int64(): T.LongType(),
        pa.float32(): T.FloatType(),
        pa.float64(): T.DoubleType(),
        pa.date32(): T.DateType(),
        pa.timestamp("us", tz="UTC"): T.TimestampType(),
        pa.timestamp("us"): T.TimestampNTZType(),
    }
    if type_ in plain:
        return plain[type_]
    if pa.types.is_decimal(type_):
        return T.DecimalType(type_.precision, type_.scale)
    if pa.types.is_list(type_):
        return T.ArrayType(_spark_type(type_.value_type, column))
    if pa.types.is_map(type_):
        return T.MapType(_spark_type(type_.key_type, column), _spark_type(type_.item_type, column))
    if pa.types.is_struct(type_):
        return T.StructType([_spark_field(field) for field in type_])
    raise SchemaError(
        f"Spark does not have a type for column '{column}' of type {type_}; read the table with `Table.to_arrow` "
        "instead"
    )
