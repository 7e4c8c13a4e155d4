"""Avro schema of a delete block: a list of keys, each with a wrapped ordering value."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hoodoo.format.avro.resolved_schema import AvroType

__all__ = ["ARRAY", "DEFAULT", "DELETES", "UNION", "WRAPPERS"]

_NAMESPACE = "org.apache.hudi.avro.model"

# In the order of the union, after null. Each wrapper is a record of one value, which has the same bytes as the value.
# Decimals have a scale of 15; the limit of 30 digits only matters to writers.
UNION = {
    "BooleanWrapper": AvroType("boolean", pa.bool_()),
    "IntWrapper": AvroType("int", pa.int32()),
    "LongWrapper": AvroType("long", pa.int64()),
    "FloatWrapper": AvroType("float", pa.float32()),
    "DoubleWrapper": AvroType("double", pa.float64()),
    "BytesWrapper": AvroType("bytes", pa.binary()),
    "StringWrapper": AvroType("string", pa.string()),
    "DateWrapper": AvroType("int", pa.date32()),
    "DecimalWrapper": AvroType("bytes", pa.decimal128(38, 15)),
    "TimeMicrosWrapper": AvroType("long", pa.time64("us")),
    "TimestampMicrosWrapper": AvroType("long", pa.timestamp("us", "UTC")),
}
# Types in an array: the same types, and one more.
WRAPPERS = {**UNION, "LocalDateWrapper": AvroType("int", pa.date32())}
# values of several ordering fields, each with its own wrapper
ARRAY = "ArrayWrapper"
# an IntWrapper of this value means "no ordering value", for any type of the column
DEFAULT = 0


def _wrapper(name: str, avro: str) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": "value", "type": avro}]}


_ARRAY = {
    "type": "record",
    "name": ARRAY,
    "fields": [
        {
            "name": "wrappedValues",
            "type": ["null", {"type": "array", "items": ["null", *UNION, _wrapper("LocalDateWrapper", "int")]}],
        }
    ],
}
_ENTRY = {
    "type": "record",
    "name": "HoodieDeleteRecord",
    "fields": [
        {"name": "recordKey", "type": ["null", "string"]},
        {"name": "partitionPath", "type": ["null", "string"]},
        {
            "name": "orderingVal",
            "type": [
                "null",
                *(_wrapper(name, type_.kind) for name, type_ in UNION.items()),
                _ARRAY,
            ],
        },
    ],
}
DELETES = {
    "type": "record",
    "name": "HoodieDeleteRecordList",
    "namespace": _NAMESPACE,
    "fields": [{"name": "deleteRecordList", "type": {"type": "array", "items": _ENTRY}}],
}
