"""Statistics of the columns of files and partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from msgspec import Struct

from hoodoo.metadata_table.content.records import Record

__all__ = ["ColumnStats", "column_stats", "merged_stats"]

_EPOCH = datetime(1970, 1, 1)
_DAY_ONE = date(1970, 1, 1)
_NANOSECONDS = 1000


class ColumnStats(Struct, frozen=True):
    """Statistics of a column in a file, or in a partition.

    Attributes:
        file: Name of the file; path of the partition for statistics of a partition.
        column: Name of the column; a field of a nested column has its path, with dots.
        minimum: The smallest value; None if it is unknown or all values are null. Nanoseconds are not kept.
        maximum: The largest value.
        values: Number of values, nulls included.
        nulls: Number of nulls.
        size: Size in bytes.
        raw_size: Size in bytes without compression.
        is_tight: Whether minimum and maximum are values of the column; otherwise they are bounds. Statistics of
            files have None.
    """

    file: str
    column: str
    minimum: Any
    maximum: Any
    values: int
    nulls: int
    size: int
    raw_size: int
    is_tight: bool | None = None


def column_stats(records: Iterable[Record]) -> list[ColumnStats]:
    """Return the statistics in records, without deleted ones."""
    return [_stats(record) for record in records if not record["isDeleted"]]


def _stats(record: Record) -> ColumnStats:
    type_ = record.get("valueType")
    values, nulls = record["valueCount"] or 0, record["nullCount"] or 0
    # Hudi 1.2 keeps the minimum 0 of a column of nulls
    is_null = 0 < values == nulls
    return ColumnStats(
        record["fileName"] or "",
        record["columnName"] or "",
        None if is_null else _value(record["minValue"], type_),
        None if is_null else _value(record["maxValue"], type_),
        values,
        nulls,
        record["totalSize"] or 0,
        record["totalUncompressedSize"] or 0,
        record.get("isTightBound"),
    )


def merged_stats(older: Record, newer: Record) -> Record:
    """Return the statistics of two versions: the newer ones if they are exact, or those of both."""
    if newer["isDeleted"] or older["isDeleted"] or newer.get("isTightBound"):
        return newer
    return {
        **newer,
        "minValue": _extreme(older, newer, "minValue", min),
        "maxValue": _extreme(older, newer, "maxValue", max),
        **{name: (older[name] or 0) + (newer[name] or 0) for name in _SUMS},
    }


_SUMS = ("valueCount", "nullCount", "totalSize", "totalUncompressedSize")


def _extreme(older: Record, newer: Record, name: str, choose: Callable[..., Any]) -> Any:
    """Return the stored form of the smaller or larger value of two records; null does not count."""
    stored = [(record[name], record.get("valueType")) for record in (older, newer) if record[name] is not None]
    if not stored:
        return None
    return choose(stored, key=lambda pair: _value(*pair))[0]


def _value(stored: Any, type_: Mapping[str, Any] | None) -> Any:
    """Return the value of a wrapper: a pair of its name and its record.

    Up to table version 8 the name of the wrapper is the type, later the record has a type of the value.
    """
    if stored is None:
        return None
    name, record = stored
    raw = record["value"] if isinstance(record, dict) else record
    ordinal = 0 if type_ is None else type_["typeOrdinal"]
    if ordinal == 0:
        return _BY_WRAPPER.get(name.rpartition(".")[2], _same)(raw)
    if ordinal == _DECIMAL and isinstance(raw, bytes):
        scale = int(str((type_ or {}).get("additionalInfo") or "0,0").split(",")[1])
        return Decimal(int.from_bytes(raw, "big", signed=True)).scaleb(-scale)
    return _BY_ORDINAL.get(ordinal, _same)(raw)


def _same(raw: Any) -> Any:
    return raw


def _date(days: int) -> date:
    return _DAY_ONE + timedelta(days=days)


def _time(microseconds: int) -> time:
    return (_EPOCH + timedelta(microseconds=microseconds)).time()


def _local(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def _instant(microseconds: int) -> datetime:
    return _local(microseconds).replace(tzinfo=UTC)


_BY_WRAPPER: Mapping[str, Callable[[Any], Any]] = {
    "DateWrapper": _date,
    "LocalDateWrapper": _date,
    "TimestampMicrosWrapper": _instant,
}
_DECIMAL = 10
_BY_ORDINAL: Mapping[int, Callable[[Any], Any]] = {
    12: _date,
    13: lambda raw: _time(raw * 1000),
    14: _time,
    15: lambda raw: _instant(raw * 1000),
    16: _instant,
    17: lambda raw: _instant(raw // _NANOSECONDS),
    18: lambda raw: _local(raw * 1000),
    19: _local,
    20: lambda raw: _local(raw // _NANOSECONDS),
}
"""By the position of the type in Hudi's list of types; values of the others are stored as they are."""
