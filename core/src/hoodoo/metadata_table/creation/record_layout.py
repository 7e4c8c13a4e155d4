"""Avro schema of the records of a new metadata table, as in the Hudi release that introduced the table version."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["new_schema"]

_TEXT = {"type": "string", "avro.java.string": "String"}
_NAMESPACE = "org.apache.hudi.avro.model"


def new_schema(version: int) -> str:
    """Return the schema of the records, without meta fields, as a JSON text.

    All later releases of Hudi read the records, because they support earlier schemas.

    Args:
        version: The table version: 6, 8 or 9.
    """
    location: dict[str, Any] = {
        "partitionName": _optional(_TEXT),
        "fileIdHighBits": _optional("long"),
        "fileIdLowBits": _optional("long"),
        "fileIndex": _optional("int"),
        "fileId": _optional(_TEXT),
        "instantTime": _optional("long"),
        "fileIdEncoding": {"type": "int", "default": 0},
    }
    if version > 6:
        location["position"] = _optional("long")
    bloom: dict[str, Any] = {"type": _TEXT, "timestamp": _TEXT, "bloomFilter": "bytes", "isDeleted": "boolean"}
    file = _record("HoodieMetadataFileInfo", {"size": "long", "isDeleted": "boolean"})
    fields = {
        "key": _TEXT,
        "type": "int",
        "filesystemMetadata": ["null", {"type": "map", "values": file, "avro.java.string": "String"}],
        "BloomFilterMetadata": _optional(_record("HoodieMetadataBloomFilter", bloom)),
        "ColumnStatsMetadata": _optional(_record("HoodieMetadataColumnStats", _statistics(version))),
        "recordIndexMetadata": _optional(_record("HoodieRecordIndexInfo", location)),
    }
    if version > 6:
        fields["SecondaryIndexMetadata"] = _optional(_record("HoodieSecondaryIndexInfo", {"isDeleted": "boolean"}))
    return json.dumps({**_record("HoodieMetadataRecord", fields), "namespace": _NAMESPACE}, separators=(",", ":"))


def _statistics(version: int) -> dict[str, Any]:
    """Return the fields of the statistics of a column."""
    wrappers = _wrappers(version)
    fields: dict[str, Any] = {
        "fileName": _optional(_TEXT),
        "columnName": _optional(_TEXT),
        "minValue": {"type": ["null", *wrappers], "default": None},
        "maxValue": {"type": ["null", *(wrapper["name"] for wrapper in wrappers)], "default": None},
        "valueCount": _optional("long"),
        "nullCount": _optional("long"),
        "totalSize": _optional("long"),
        "totalUncompressedSize": _optional("long"),
        "isDeleted": "boolean",
    }
    if version > 6:
        fields["isTightBound"] = {"type": "boolean", "default": False}
    if version > 8:
        type_ = _record("HoodieValueTypeInfo", {"typeOrdinal": "int", "additionalInfo": _optional(_TEXT)})
        fields["valueType"] = _optional(type_)
    return fields


def _wrappers(version: int) -> list[dict[str, Any]]:
    """Return the records that contain a bound, one for each type."""
    types: dict[str, Any] = {
        "BooleanWrapper": "boolean",
        "IntWrapper": "int",
        "LongWrapper": "long",
        "FloatWrapper": "float",
        "DoubleWrapper": "double",
        "BytesWrapper": "bytes",
        "StringWrapper": _TEXT,
        "DateWrapper": "int",
        "DecimalWrapper": {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 15},
        "TimeMicrosWrapper": {"type": "long", "logicalType": "time-micros"},
        "TimestampMicrosWrapper": "long",
    }
    if version > 6:
        types["LocalDateWrapper"] = "int"
    found = [_record(name, {"value": type_}) for name, type_ in types.items()]
    if version > 8:
        items = {"type": "array", "items": ["null", *types]}
        found.append(_record("ArrayWrapper", {"wrappedValues": _optional(items)}))
    return found


def _optional(type_: Any) -> dict[str, Any]:
    """Return type and default of a field that may be null."""
    return {"type": ["null", type_], "default": None}


def _record(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a record. A value of `fields` is a type, or a dictionary of a type and a default."""
    return {"type": "record", "name": name, "fields": [_field(name, found) for name, found in fields.items()]}


def _field(name: str, found: Any) -> dict[str, Any]:
    if isinstance(found, dict) and "default" in found:
        return {"name": name, **found}
    return {"name": name, "type": found}
