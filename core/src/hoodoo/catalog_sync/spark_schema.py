"""Properties of a table in a catalog, by which Spark reads the table with Hudi's data source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import pyarrow as pa

from hoodoo.errors import SchemaError

__all__ = ["spark_properties"]

_PREFIX = "spark.sql.sources."

_SIMPLE = {
    pa.bool_(): "boolean",
    pa.int8(): "integer",
    pa.int16(): "integer",
    pa.int32(): "integer",
    pa.int64(): "long",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.string(): "string",
    pa.large_string(): "string",
    pa.binary(): "binary",
    pa.large_binary(): "binary",
    pa.date32(): "date",
}


def spark_properties(
    schema: pa.Schema, partition_columns: Sequence[str], *, part_length: int, spark_version: str | None
) -> dict[str, str]:
    """Return the properties that Hudi's sync writes for Spark.

    Args:
        schema: All columns in the order of the table. Partition columns are moved to the end; a partition column that
            the schema lacks is a string column.
        partition_columns: The partition columns.
        part_length: The maximum length of a part of the schema, in characters.
        spark_version: The version of Spark that created the table; None or "" omits the property.

    Raises:
        SchemaError: Spark has no type for a column.
    """
    fields = [field for field in schema if field.name not in partition_columns]
    for name in partition_columns:
        known = schema.get_field_index(name)
        fields.append(pa.field(name, pa.string(), nullable=False) if known < 0 else schema.field(known))
    text = _struct(fields)
    parts = [text[start : start + part_length] for start in range(0, len(text), part_length)]
    properties = {f"{_PREFIX}provider": "hudi", f"{_PREFIX}schema.numParts": str(len(parts))}
    if spark_version:
        properties["spark.sql.create.version"] = spark_version
    properties |= {f"{_PREFIX}schema.part.{number}": part for number, part in enumerate(parts)}
    if partition_columns:
        properties[f"{_PREFIX}schema.numPartCols"] = str(len(partition_columns))
        properties |= {f"{_PREFIX}schema.partCol.{number}": name for number, name in enumerate(partition_columns)}
    return properties


def _struct(fields: Iterable[pa.Field], column: str = "") -> str:
    """Return a struct type as Spark's JSON; `column` is the column that contains it, "" for all columns."""
    texts = (
        f'{{"name":{json.dumps(field.name, ensure_ascii=False)},"type":{_type(field.type, column or field.name)},'
        f'"nullable":{_boolean(field.nullable)},"metadata":{{}}}}'
        for field in fields
    )
    return f'{{"type":"struct","fields":[{",".join(texts)}]}}'


def _type(type_: pa.DataType, column: str) -> str:
    """Return a type as Spark's JSON, with the same white space as Hudi writes, so that both texts are equal."""
    if type_ in _SIMPLE:
        return f'"{_SIMPLE[type_]}"'
    if pa.types.is_timestamp(type_):
        return '"timestamp"' if type_.tz else '"timestamp_ntz"'
    if pa.types.is_decimal(type_):
        return f'"decimal({type_.precision},{type_.scale})"'
    if pa.types.is_fixed_size_binary(type_):
        return '"binary"'
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        element = type_.value_field
        return (
            f'{{"type":"array", "elementType":{_type(element.type, column)},'
            f'"containsNull":{_boolean(element.nullable)}}}'
        )
    if pa.types.is_map(type_):
        value = type_.item_field
        return (
            f'{{"type":"map", "keyType":{_type(type_.key_type, column)},"valueType":{_type(value.type, column)},'
            f'"valueContainsNull":{_boolean(value.nullable)}}}'
        )
    if pa.types.is_struct(type_):
        return _struct(type_, column)
    raise SchemaError(
        f"type {type_} of column '{column}' has no equivalent in Spark; set "
        "hoodie.datasource.hive_sync.sync_as_datasource=false, or leave the column out of the table"
    )


def _boolean(value: bool) -> str:
    return "true" if value else "false"
