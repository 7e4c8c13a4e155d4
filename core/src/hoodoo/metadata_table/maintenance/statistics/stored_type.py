"""Types of the bounds of columns in the metadata table, and the numbers, texts and bytes that represent values.

A bound is in a record with the name of a wrapper. In version 1 of the statistics, the wrapper is the type, and
timestamps are numbers. From version 2 on, the wrapper has only the physical type, and the record contains the type of
the column.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
from attrs import frozen

__all__ = ["UNKNOWN", "StoredType", "plain_value", "stored_type"]

_DECIMAL = 10
_DECIMAL_WRAPPER = "DecimalWrapper"
_WRAPPER_PRECISION, _WRAPPER_SCALE = 30, 15
"""Precision and scale of all decimals of version 1."""

_TIMES = {"ms": 13, "us": 14}
_INSTANTS = {"ms": 15, "us": 16, "ns": 17}
_LOCAL = {"ms": 18, "us": 19, "ns": 20}


@frozen
class StoredType:
    """Type of the bounds of a column.

    Attributes:
        wrapper: Name of the wrapper; "" for the type of a column without values.
        ordinal: Position in Hudi's list of types; None in version 1.
        info: Precision and scale of a decimal, separated by a comma; None for other types.
        scale: Number of digits after the point of a decimal.
    """

    wrapper: str
    ordinal: int | None = None
    info: str | None = None
    scale: int = 0

    @property
    def is_decimal(self) -> bool:
        """Return whether values are decimals."""
        return self.wrapper == _DECIMAL_WRAPPER or self.ordinal == _DECIMAL

    @classmethod
    def of_record(cls, wrapper: str | None, value_type: dict[str, Any] | None) -> StoredType:
        """Return the type of the bounds in a stored record.

        Args:
            wrapper: Name of the wrapper of a bound; None without bounds.
            value_type: The type of the column in the record; None in version 1.
        """
        if value_type is None:
            return cls(wrapper or "", scale=_WRAPPER_SCALE if wrapper == _DECIMAL_WRAPPER else 0)
        info = value_type["additionalInfo"]
        ordinal = value_type["typeOrdinal"]
        scale = int(str(info or "0,0").split(",")[1]) if ordinal == _DECIMAL else 0
        return cls(_WRAPPER_OF.get(ordinal, ""), ordinal, info, scale)


UNKNOWN = {1: StoredType(""), 2: StoredType("", 1)}
"""Type of a column for which a file has neither values nor a schema, by the version of the statistics."""

_WRAPPER_OF = {
    2: "BooleanWrapper",
    3: "IntWrapper",
    4: "LongWrapper",
    5: "FloatWrapper",
    6: "DoubleWrapper",
    7: "StringWrapper",
    8: "BytesWrapper",
    9: "BytesWrapper",
    _DECIMAL: "BytesWrapper",
    11: "StringWrapper",
    12: "IntWrapper",
    13: "IntWrapper",
    **dict.fromkeys(range(14, 21), "LongWrapper"),
}


def stored_type(type_: pa.DataType, version: int) -> StoredType | None:
    """Return the type of the bounds of a column; None if it has no statistics.

    Args:
        type_: The type of the column.
        version: The version of the statistics: 1 or 2.
    """
    ordinal = _ordinal(type_)
    if ordinal is None:
        return None
    if version == 1:
        if ordinal == _DECIMAL:
            digits = type_.precision + _WRAPPER_SCALE - type_.scale
            fits = type_.scale <= _WRAPPER_SCALE and digits <= _WRAPPER_PRECISION
            return StoredType(_DECIMAL_WRAPPER, scale=_WRAPPER_SCALE) if fits else None
        return StoredType("DateWrapper" if pa.types.is_date32(type_) else _WRAPPER_OF[ordinal])
    if ordinal == _DECIMAL:
        return StoredType(_WRAPPER_OF[ordinal], ordinal, f"{type_.precision},{type_.scale}", type_.scale)
    return StoredType(_WRAPPER_OF[ordinal], ordinal)


def _ordinal(type_: pa.DataType) -> int | None:
    """Return the position of a type in Hudi's list of types."""
    for is_type, ordinal in _ORDINALS:
        if is_type(type_):
            return ordinal
    if pa.types.is_integer(type_):
        return 4 if type_.bit_width == 64 else 3
    if pa.types.is_time(type_):
        return _TIMES.get(type_.unit)
    if pa.types.is_timestamp(type_):
        return (_LOCAL if type_.tz is None else _INSTANTS).get(type_.unit)
    return None


_ORDINALS = (
    (pa.types.is_boolean, 2),
    (pa.types.is_float32, 5),
    (pa.types.is_float64, 6),
    (pa.types.is_string, 7),
    (pa.types.is_large_string, 7),
    (pa.types.is_binary, 8),
    (pa.types.is_large_binary, 8),
    (pa.types.is_fixed_size_binary, 9),
    (pa.types.is_decimal128, _DECIMAL),
    (pa.types.is_date32, 12),
)


def plain_value(raw: Any, type_: pa.DataType, stored: StoredType) -> Any:
    """Return the number, text or bytes that represent a value; for a decimal, its digits with the stored scale.

    Args:
        raw: A value in the physical type of Parquet, or a decimal.
        type_: The type of the column.
        stored: The type of its bounds.
    """
    if stored.is_decimal:
        if isinstance(raw, Decimal):
            return int(raw.scaleb(stored.scale))
        digits = int.from_bytes(raw, "big", signed=True) if isinstance(raw, bytes) else raw
        return digits * 10 ** (stored.scale - type_.scale)
    if stored.wrapper == "StringWrapper" and isinstance(raw, bytes):
        return raw.decode()
    return raw
