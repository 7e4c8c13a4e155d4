"""Test values: a short list for each type of column, with plain values first and extreme values last."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa

__all__ = ["ALL_TYPES", "LACKING", "ORDERING_TYPES", "TYPE_GROUPS", "ordering_pool", "pool"]

LACKING = "$lacking"
"""Placeholder for the value of a column that a partial version does not have."""

ALL_TYPES = {
    "text": "string",
    "flag": "boolean",
    "small": "int",
    "big": "long",
    "single": "float",
    "double": "double",
    "amount": "decimal(12,3)",
    "day": "date",
    "at": "timestamp",
    "raw": "bytes",
    "tags": "array<string>",
    "items": "array<struct<name:string,count:int>>",
    "scores": "map<string,double>",
    "inner": "struct<a:string,deep:struct<b:long,c:array<int>>>",
}
"""A column of each type, with the type names of merge vectors."""

TYPE_GROUPS = (
    ("text", "flag", "small", "big"),
    ("single", "double", "amount", "day"),
    ("at", "raw", "tags"),
    ("items", "scores", "inner"),
)
"""The groups of the columns of `ALL_TYPES`; a row has the columns of one group."""

ORDERING_TYPES = ("long", "string", "timestamp", "int", "double", "date", "decimal(20,4)")
"""The types of ordering columns."""

_UTC = dt.UTC
_POOLS: dict[pa.DataType, list[Any]] = {
    pa.string(): ["a", "b", "", "é😀", "10", "9"],
    pa.binary(): [b"a", b"b", b"", b"\xff\x00"],
    pa.bool_(): [False, True],
    pa.int32(): [1, 2, 0, -1, 2**31 - 1, -(2**31)],
    pa.int64(): [1, 2, 0, -1, 2**63 - 1, -(2**63)],
    pa.float32(): [1.0, 2.5, -0.0, float("inf"), float("nan")],
    pa.float64(): [1.0, 2.5, -0.0, float("-inf"), float("nan")],
    pa.date32(): [dt.date(2024, 1, 1), dt.date(2024, 1, 2), dt.date(1969, 12, 31), dt.date(9999, 12, 31)],
    pa.timestamp("us", tz="UTC"): [
        dt.datetime(2024, 1, 1, tzinfo=_UTC),
        dt.datetime(2024, 1, 1, microsecond=1, tzinfo=_UTC),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=_UTC),
    ],
}


def pool(type_: pa.DataType) -> list[Any]:
    """Return values of a type, null first."""
    return [None, *_values(type_)]


def ordering_pool(type_: pa.DataType) -> list[Any]:
    """Return values of a type for an ordering column, without null."""
    return _values(type_)


def _values(type_: pa.DataType) -> list[Any]:
    if pa.types.is_decimal(type_):
        unit = Decimal(1).scaleb(-type_.scale)
        largest = Decimal("9" * type_.precision).scaleb(-type_.scale)
        return [Decimal(1).quantize(unit), Decimal("2.5").quantize(unit), -unit, largest, -largest]
    if pa.types.is_list(type_):
        first, second, *_ = _values(type_.value_type)
        return [[], [first], [None, second, first]]
    if pa.types.is_map(type_):
        (key, other, *_), (first, second, *_) = _values(type_.key_type), _values(type_.item_type)
        return [{}, {key: first}, {key: second, other: None}]
    if pa.types.is_struct(type_):
        inner = {field.name: _values(field.type) for field in type_}
        return [dict.fromkeys(inner), *({name: values[n] for name, values in inner.items()} for n in (0, 1))]
    return _POOLS[type_]
