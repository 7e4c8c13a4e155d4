"""Records of the metadata table with the range of a column."""

from __future__ import annotations

import io
import json
from datetime import time
from decimal import Decimal
from functools import cache
from typing import Any

import fastavro
from attrs import define, field

from hoodoo.metadata_table.content.records import Record
from hoodoo.metadata_table.maintenance.statistics.column_range import ColumnRange
from hoodoo.metadata_table.maintenance.statistics.stored_type import StoredType

__all__ = ["RangeRecords", "stored_range"]

_MEMBER = "ColumnStatsMetadata"
_LOGICAL = ("logicalType", "precision", "scale")


@define
class RangeRecords:
    """Encoder of records with the range of a column.

    Attributes:
        schema: The Avro schema of the records.
        kind: The number of the kind of record: 3 for columns of files, 6 for columns of partitions.
    """

    schema: str
    kind: int
    _parsed: Any = field(init=False)
    _namespace: str = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._parsed = _parsed(self.schema)
        self._namespace = self._parsed["name"].rpartition(".")[0]

    def encode(self, file: str, found: ColumnRange, *, is_tight: bool) -> bytes:
        """Return the Avro datum of a range.

        Args:
            file: Name of the file, or path of the partition.
            found: The range to encode.
            is_tight: Whether the bounds are values of the column; ignored by schemas before Hudi 1.0.
        """
        low, high = (None, None) if found.bounds is None else (self._wrapped(found.type, v) for v in found.bounds)
        type_ = found.type
        content = {
            "fileName": file,
            "columnName": found.column,
            "minValue": low,
            "maxValue": high,
            "valueCount": found.values,
            "nullCount": found.nulls,
            "totalSize": found.size,
            "totalUncompressedSize": found.raw_size,
            "isDeleted": False,
            "isTightBound": is_tight,
            "valueType": None
            if type_.ordinal is None
            else {"typeOrdinal": type_.ordinal, "additionalInfo": type_.info},
        }
        stream = io.BytesIO()
        fastavro.schemaless_writer(stream, self._parsed, {"key": "", "type": self.kind, _MEMBER: content})
        return stream.getvalue()

    def _wrapped(self, type_: StoredType, value: Any) -> tuple[str, dict[str, Any]]:
        if type_.is_decimal:
            # one more bit for the sign
            length = (value if value >= 0 else ~value).bit_length() // 8 + 1
            value = value.to_bytes(length, "big", signed=True)
        name = f"{self._namespace}.{type_.wrapper}" if self._namespace else type_.wrapper
        return name, {"value": value}


def stored_range(record: Record) -> ColumnRange:
    """Return the range in a decoded record.

    The bounds are those of the record, even zero or False for a column of nulls; None if the record lacks one of them.
    """
    bounds = [record["minValue"], record["maxValue"]]
    wrapper = next((found[0].rpartition(".")[2] for found in bounds if found is not None), None)
    type_ = StoredType.of_record(wrapper, record.get("valueType"))
    values, nulls = record["valueCount"] or 0, record["nullCount"] or 0
    is_empty = None in bounds
    low, high = (None, None) if is_empty else (_plain(type_, found) for found in bounds)
    return ColumnRange(
        record["columnName"],
        type_,
        None if is_empty else (low, high),
        values,
        nulls,
        record["totalSize"] or 0,
        record["totalUncompressedSize"] or 0,
    )


def _plain(type_: StoredType, wrapped: Any) -> Any:
    """Return the plain value in a wrapper, a pair of its name and its record, decoded with or without logical types."""
    value = wrapped[1]["value"]
    if isinstance(value, Decimal):
        return int(value.scaleb(type_.scale))
    if isinstance(value, time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    if type_.is_decimal:
        return int.from_bytes(value, "big", signed=True)
    return value


@cache
def _parsed(schema: str) -> Any:
    return fastavro.parse_schema(_physical(json.loads(schema)))


def _physical(avro: Any) -> Any:
    """Return a schema without logical types: bounds are numbers and bytes."""
    if isinstance(avro, list):
        return [_physical(item) for item in avro]
    if isinstance(avro, dict):
        return {key: _physical(value) for key, value in avro.items() if key not in _LOGICAL}
    return avro
