"""Consistency of a Parquet footer, which has both the columns of the file and the schema of its writer.

A footer has no checksum. With a corrupt column name the column would seem to be missing in the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hoodoo.errors import SchemaError
from hoodoo.schema.consistency import columns_of, contradiction

__all__ = ["footer_contradiction"]

_AVRO = b"parquet.avro.schema"
_SPARK = b"org.apache.spark.sql.parquet.row.metadata"
_DECIMAL = re.compile(r"decimal\((\d{1,2}),(\d{1,2})\)")


def footer_contradiction(file: pq.ParquetFile, wanted: Iterable[pa.Field] | None = None) -> str | None:
    """Return the contradiction between the columns of a file and its writer's schema; None if there is none.

    A column that occurs twice is a contradiction. A schema that is missing or cannot be read is not one: no rows are
    read with it.

    Args:
        file: An open file.
        wanted: The columns to read. If all of them exist with the expected types, nothing else is compared.
    """
    columns = file.schema_arrow
    if wanted is not None and all(_has_column(field, columns) for field in wanted):
        return None
    metadata = file.metadata.metadata or {}
    stated: Iterable[pa.Field] = ()
    try:
        if _AVRO in metadata:
            stated = columns_of(metadata[_AVRO].decode())
        elif _SPARK in metadata:
            stated = _spark_columns(metadata[_SPARK].decode())
    except (SchemaError, ValueError, KeyError, TypeError, RecursionError):
        return contradiction((), columns)
    return contradiction(stated, columns, one_file=True)


def _has_column(field: pa.Field, columns: pa.Schema) -> bool:
    at = columns.get_field_index(field.name)
    return at >= 0 and columns.field(at).type == field.type and (columns.field(at).nullable or not field.nullable)


@lru_cache(maxsize=64)
def _spark_columns(text: str) -> pa.DataType:
    return _spark_type(json.loads(text))


def _spark_type(type_: Any) -> pa.DataType:
    if isinstance(type_, str):
        decimal = _DECIMAL.fullmatch(type_)
        return pa.decimal128(int(decimal[1]), int(decimal[2])) if decimal else _SPARK_TYPES[type_]
    if type_["type"] == "struct":
        fields = type_["fields"]
        return pa.struct([pa.field(f["name"], _spark_type(f["type"]), bool(f["nullable"])) for f in fields])
    if type_["type"] == "array":
        return pa.list_(_spark_type(type_["elementType"]))
    return pa.map_(_spark_type(type_["keyType"]), _spark_type(type_["valueType"]))


_SPARK_TYPES = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
