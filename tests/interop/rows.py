"""Rows of every type that Hudi and Spark share, the same in every run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

__all__ = ["PLAIN", "WIDE", "batch", "plain_batch"]

WIDE = pa.schema(
    [
        ("id", pa.string()),
        ("part", pa.string()),
        ("ts", pa.int64()),
        ("v", pa.int32()),
        ("s", pa.string()),
        ("big", pa.int64()),
        ("d", pa.float64()),
        ("f", pa.float32()),
        ("flag", pa.bool_()),
        ("dec", pa.decimal128(12, 3)),
        ("day", pa.date32()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("raw", pa.binary()),
        ("tags", pa.list_(pa.string())),
        ("points", pa.list_(pa.struct([("x", pa.int32()), ("y", pa.float64())]))),
        ("props", pa.map_(pa.string(), pa.int64())),
        ("addr", pa.struct([("city", pa.string()), ("geo", pa.struct([("lat", pa.float64()), ("alt", pa.int32())]))])),
    ]
)
"""Columns of most tables."""

PLAIN = pa.schema([WIDE.field(name) for name in ("id", "part", "ts", "v", "s", "d")])
"""Columns of tables whose stories do not test types."""

_EPOCH = datetime(2024, 2, 28, 23, 59, 59, tzinfo=UTC)


def batch(ids: Iterable[str], ts: int, *, schema: pa.Schema = WIDE, **values: Any) -> pa.Table:
    """Return one row for each key, whose values follow from the key and `ts`; every fifth value is null.

    Args:
        ids: The keys; the part after a colon is the partition, `x` where there is none.
        ts: Ordering value of all rows.
        schema: The columns of the rows, by default `WIDE`.
        values: Columns that are set: one value for all rows, or a mapping from key to value.
    """
    rows = []
    for spelled in ids:
        key, _, part = spelled.partition(":")
        row = {"id": key, "part": part or "x", "ts": ts}
        seed = sum(map(ord, key)) * 7 + ts
        for position, field in enumerate(schema):
            if field.name not in row:
                row[field.name] = None if (seed + position) % 5 == 0 else _value(field.type, seed + position)
        for name, value in values.items():
            row[name] = value.get(key, row[name]) if isinstance(value, Mapping) else value
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=schema)


def plain_batch(ids: Iterable[str], ts: int, **values: Any) -> pa.Table:
    """Return a batch like `batch`, with the columns of `PLAIN`."""
    return batch(ids, ts, schema=PLAIN, **values)


def _value(type_: pa.DataType, seed: int) -> Any:
    if pa.types.is_struct(type_):
        return {field.name: _value(field.type, seed + 1) if seed % 3 else None for field in type_.fields}
    if pa.types.is_map(type_):
        return [(f"k{n}", _value(type_.item_type, seed + n) if n else None) for n in range(seed % 3)]
    if pa.types.is_list(type_):
        return [_value(type_.value_type, seed + n) for n in range(seed % 3)]
    if pa.types.is_decimal(type_):
        return Decimal(seed * 1001 - 90_000).scaleb(-type_.scale)
    if pa.types.is_timestamp(type_):
        return _EPOCH + timedelta(microseconds=seed * 1_000_003)
    if pa.types.is_date(type_):
        return date(1969, 12, 28) + timedelta(days=seed % 400)
    if pa.types.is_floating(type_):
        return seed / 4 - 100
    if pa.types.is_boolean(type_):
        return seed % 2 == 0
    if pa.types.is_binary(type_):
        return bytes([seed % 256, 0, 255])
    if pa.types.is_string(type_):
        return ("", "é", "鍵 😀", "plain", 'quo"te,\n')[seed % 5] + str(seed)
    return seed * (1 if seed % 2 else -1)
