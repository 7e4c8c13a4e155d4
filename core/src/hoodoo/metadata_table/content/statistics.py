"""Statistics of the columns of files and partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve
from msgspec import Struct

from hoodoo.format.avro.numpy_arrays import integers
from hoodoo.format.hfile import Cells
from hoodoo.metadata_table.content.records import STATS, Record, merged_records
from hoodoo.metadata_table.content.statistics_columns import StatisticsColumns, decode_statistics
from hoodoo.metadata_table.layers import Layer

__all__ = ["ColumnStats", "column_stats", "layered_stats", "merged_stats"]

_EPOCH = datetime(1970, 1, 1)
_DAY_ONE = date(1970, 1, 1)
_NANOSECONDS = 1000


class ColumnStats(Struct, frozen=True):
    """Statistics of a column in a file, or in a partition.

    Attributes:
        file: Name of the file; path of the partition for statistics of a partition.
        column: Name of the column; a field of a nested column has its path, with dots.
        minimum: The smallest value, without nanoseconds; None if it is unknown, if all values are null, or for a date
            or time that Python cannot represent.
        maximum: The largest value, or None as for the minimum.
        values: Number of values, including nulls.
        nulls: Number of nulls.
        size: Size of the values in bytes.
        raw_size: Size of the values in bytes without compression.
        is_tight: Whether minimum and maximum are values of the column, which is recorded for partitions only; otherwise
            they are bounds. None if the record lacks the field, as in table version 6.
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
    # Hudi 1.2 stores the minimum 0 for a column of nulls
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


def layered_stats(layers: Sequence[Layer]) -> list[ColumnStats]:
    """Return the statistics in layers after merging the versions of each key, without deleted ones.

    Almost all keys have one version. Their records are decoded together if the form of the schema is known, and the
    other records one at a time.

    Args:
        layers: Layers, oldest first.

    Raises:
        CorruptTableError: A record cannot be decoded.
    """
    every = pa.concat_arrays([pa.array([], pa.large_binary()), *(layer.cells.keys for layer in layers)])
    codes = np.asarray(every.dictionary_encode().indices.to_numpy(zero_copy_only=False), np.int64)
    counts = np.bincount(codes) if len(codes) else np.zeros(0, np.int64)
    found: list[ColumnStats | None] = [None] * len(codes)
    repeated, start = [], 0
    for layer in layers:
        places = np.arange(start, start + len(layer.cells))
        start += len(layer.cells)
        is_single = counts[codes[places]] == 1
        repeated.append(_rows(layer, ~is_single))
        if layer.schema is not None and is_single.any():
            single = _rows(layer, is_single)
            columns = decode_statistics(single)
            if columns is None:
                repeated[-1] = layer
                continue
            for place, stats in zip(places[is_single].tolist(), _of_columns(columns), strict=True):
                found[place] = stats
    merged = merged_records([layer for layer in repeated if len(layer.cells)], STATS, merged_stats)
    if merged:
        first = dict(zip(reversed(every.to_pylist()), range(len(every) - 1, -1, -1), strict=True))
        for key, record in merged.items():
            if not record["isDeleted"]:
                found[first[key.encode()]] = _stats(record)
    return [stats for stats in found if stats is not None]


def _rows(layer: Layer, chosen: np.ndarray) -> Layer:
    """Return a layer with the cells that a mask selects."""
    if chosen.all():
        return layer
    rows = integers(np.flatnonzero(chosen))
    return evolve(layer, cells=Cells(layer.cells.keys.take(rows), layer.cells.values.take(rows)))


def _of_columns(found: StatisticsColumns) -> list[ColumnStats | None]:
    """Return the statistics of each record; None for a deleted one."""
    tight = [None] * len(found.files) if found.tight is None else found.tight.tolist()
    rows = zip(
        found.files,
        found.columns,
        found.bounds["minValue"],
        found.bounds["maxValue"],
        found.types,
        found.infos,
        *found.numbers.values(),
        found.deleted.tolist(),
        tight,
        strict=True,
    )
    made: list[ColumnStats | None] = []
    for file, column, low, high, type_, info, values, nulls, size, raw_size, is_deleted, is_tight in rows:
        is_null = 0 < values == nulls
        made.append(
            None
            if is_deleted
            else ColumnStats(
                file,
                column,
                None if is_null or low is None else _converted(_conversion(low[0], type_, info), low[1]),
                None if is_null or high is None else _converted(_conversion(high[0], type_, info), high[1]),
                values,
                nulls,
                size,
                raw_size,
                is_tight,
            )
        )
    return made


@cache
def _conversion(wrapper: str, ordinal: int, info: str | None) -> Callable[[Any], Any]:
    """Return the function that converts the number, text or bytes in a wrapper to the value.

    Args:
        wrapper: Name of the wrapper.
        ordinal: Position of the type in Hudi's list; -1 or 0 if the name of the wrapper determines the type.
        info: Precision and scale of a decimal, separated by a comma; None for other types.
    """
    if ordinal <= 0:
        return _RAW_WRAPPERS.get(wrapper.rpartition(".")[2], _same)
    if ordinal == _DECIMAL:
        return _decimal(int(str(info or "0,0").split(",")[1]))
    return _BY_ORDINAL.get(ordinal, _same)


def _decimal(scale: int) -> Callable[[bytes], Decimal]:
    return lambda raw: Decimal(int.from_bytes(raw, "big", signed=True)).scaleb(-scale)


def merged_stats(older: Record, newer: Record) -> Record:
    """Return the statistics after merging two versions.

    The newer version replaces the older one if the newer bounds are tight, or if one of the two versions is deleted.
    Otherwise the result has the smaller minimum, the larger maximum, and the sums of the counts and sizes.
    """
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
    """Return the stored form of the smaller or larger value of two records; nulls are ignored.

    The result is None if both values are null, or if Python cannot represent one of them.
    """
    stored = [(record[name], record.get("valueType")) for record in (older, newer) if record[name] is not None]
    values = [_value(*pair) for pair in stored]
    if not stored or None in values:
        return None
    return stored[values.index(choose(values))][0]


def _value(stored: Any, type_: Mapping[str, Any] | None) -> Any:
    """Return the value in a wrapper, which is stored as a pair of its name and its record.

    Up to table version 8, the name of the wrapper is the type; in later versions, `type_` is. The result is None for
    null, and for a date or time that Python cannot represent.
    """
    if stored is None:
        return None
    name, record = stored
    raw = record["value"] if isinstance(record, dict) else record
    ordinal = 0 if type_ is None else type_["typeOrdinal"]
    if ordinal == 0:
        return _converted(_BY_WRAPPER.get(name.rpartition(".")[2], _same), raw)
    if ordinal == _DECIMAL and isinstance(raw, bytes):
        return _decimal(int(str((type_ or {}).get("additionalInfo") or "0,0").split(",")[1]))(raw)
    return _converted(_BY_ORDINAL.get(ordinal, _same), raw)


def _converted(convert: Callable[[Any], Any], raw: Any) -> Any:
    try:
        return convert(raw)
    except OverflowError:
        return None


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
"""Conversions by the position of the type in Hudi's list of types; values of other types are stored unchanged."""

_WRAPPER_SCALE = 15
_RAW_WRAPPERS: Mapping[str, Callable[[Any], Any]] = {
    **_BY_WRAPPER,
    "DecimalWrapper": _decimal(_WRAPPER_SCALE),
    "TimeMicrosWrapper": _time,
}
"""Conversions by the name of the wrapper, for values that are decoded without logical types."""
