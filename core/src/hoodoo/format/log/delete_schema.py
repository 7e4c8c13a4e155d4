"""How a delete block spells its entries: a list of keys, each with a wrapped ordering value."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hoodoo.format.avro.resolved_schema import AvroType

__all__ = ["ARRAY", "DEFAULT", "DELETES", "NAMESPACE", "UNION", "WRAPPERS"]

NAMESPACE = "org.apache.hudi.avro.model"

# In the order of the union, where null stands before the first. Each wrapper is a record of one value, which takes the
# bytes of that value. Decimals have 15 places; that they have at most 30 digits matters to writers only.
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
# What an array may hold: the same, and last one more.
WRAPPERS = {**UNION, "LocalDateWrapper": AvroType("int", pa.date32())}
# of several ordering fields, each with a wrapper of its own
ARRAY = "ArrayWrapper"
# an IntWrapper of this stands for no ordering value, whatever the type of the column
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
    "namespace": NAMESPACE,
    "fields": [{"name": "deleteRecordList", "type": {"type": "array", "items": _ENTRY}}],
}
