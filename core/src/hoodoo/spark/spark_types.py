"""Conversion between Spark types and Arrow types; no DataFrame is evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.errors import SchemaError

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

__all__ = ["arrow_schema", "quote", "quoted", "spark_arrow_schema", "spark_schema"]

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

    Raises:
        SchemaError: A column has a type that a Hudi table cannot hold.
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
    raise SchemaError(
        f"column '{path}' has type {type_.simpleString()}, which a Hudi table cannot hold; {advice}", code="column_type"
    )


def quoted(names: Iterable[str]) -> list[str]:
    """Return quoted column names for `select`; the names may contain any characters.

    They are strings, because PySpark takes some milliseconds for each `Column` to find the calling line of the program.
    """
    return [quote(name) for name in names]


def quote(name: str) -> str:
    """Return a quoted column name, which may contain any characters."""
    return "`" + name.replace("`", "``") + "`"


def spark_schema(schema: pa.Schema) -> StructType:
    """Return the Spark schema with which stored columns are read. All columns are nullable, as in all files in Spark.

    Raises:
        SchemaError: Spark does not have the type of a column.
    """
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(f.name, _spark_type(f.type), True) for f in spark_arrow_schema(schema)])


def spark_arrow_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema in Arrow types that Spark accepts: times of day become numbers, as in Hudi."""
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


def _spark_type(type_: pa.DataType) -> DataType:
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
        return T.ArrayType(_spark_type(type_.value_type))
    if pa.types.is_map(type_):
        return T.MapType(_spark_type(type_.key_type), _spark_type(type_.item_type))
    if pa.types.is_struct(type_):
        return T.StructType([T.StructField(f.name, _spark_type(f.type)) for f in type_])
    raise SchemaError(f"Spark does not have a type for Arrow's {type_}; read the table with `Table.to_arrow` instead")
