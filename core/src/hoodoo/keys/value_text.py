"""A column's values as the text that Hudi puts into record keys and partition paths."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import SchemaError
from hoodoo.keys.distinct_values import map_distinct

__all__ = ["as_text", "java_double", "java_float", "timestamp_micros", "timestamp_millis"]

_LAST_FOUR_DIGIT_DAY = datetime.date(9999, 12, 31)


def as_text(values: pa.Array, column: str, *, consistent_timestamps: bool = False) -> pa.Array:
    """Return each value as Hudi writes it in a key: a string array of the same length, with nulls kept.

    Args:
        values: A column.
        column: Its name, for messages.
        consistent_timestamps: Write a timestamp as `2024-01-15 10:30:00.0` (in UTC, milliseconds) and not as its
            microseconds since the epoch.

    Raises:
        SchemaError: The type has no text in Hudi: binary, list, struct, map and the like.
    """
    kind = values.type
    if pa.types.is_dictionary(kind):
        return as_text(values.cast(kind.value_type), column, consistent_timestamps=consistent_timestamps)
    if pa.types.is_string(kind):
        return values
    if (
        pa.types.is_integer(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_null(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
    ):
        return values.cast(pa.string())
    if pa.types.is_floating(kind):
        return _floating_text(values)
    if pa.types.is_decimal(kind):
        return map_distinct(values, _decimal_text)
    if pa.types.is_date(kind):
        return _date_text(values.cast(pa.date32()))
    if pa.types.is_timestamp(kind):
        return _timestamp_text(values) if consistent_timestamps else timestamp_micros(values).cast(pa.string())
    raise SchemaError(
        f"column '{column}' of type {kind} cannot be part of a record key or a partition path;"
        " use a string, integer, boolean, floating, decimal, date or timestamp column"
    )


def java_double(value: float) -> str:
    """Return a 64-bit float as java.lang.Double.toString writes it."""
    return _java_text(value, repr(float(value)))


def java_float(value: float) -> str:
    """Return a 32-bit float as java.lang.Float.toString writes it."""
    return _java_text(float(value), str(np.float32(value)))


def timestamp_micros(values: pa.Array) -> pa.Array:
    """Return timestamps of any unit as int64 microseconds since the epoch; finer digits are truncated."""
    return values.cast(pa.timestamp("us", tz=values.type.tz), safe=False).cast(pa.int64())


def timestamp_millis(values: pa.Array) -> pa.Array:
    """Return timestamps of any unit as int64 milliseconds since the epoch, truncated towards zero as in Hudi."""
    return pc.divide(timestamp_micros(values), 1000)


def _floating_text(values: pa.Array) -> pa.Array:
    narrow = not pa.types.is_float64(values.type)
    floats = values.cast(pa.float32()) if narrow else values
    size = pc.abs(floats)
    odd = pc.invert(pc.fill_null(pc.and_(pc.greater_equal(size, 1e-3), pc.less(size, 1e7)), True))
    text = floats.cast(pa.string())
    # between a thousandth and ten million Arrow writes the same digits, and leaves out the ".0" of a whole number
    text = pc.if_else(pc.match_substring(text, "."), text, pc.binary_join_element_wise(text, ".0", ""))
    if not pc.any(odd).as_py():
        return text
    # by bit pattern, since 0.0 and -0.0 are equal and have different texts
    bits = floats.filter(odd).view(pa.int32() if narrow else pa.int64())
    return pc.replace_with_mask(text, odd, map_distinct(bits, _java_float_of_bits if narrow else _java_double_of_bits))


def _java_float_of_bits(bits: int) -> str:
    return java_float(float(np.int32(bits).view(np.float32)))


def _java_double_of_bits(bits: int) -> str:
    return java_double(float(np.int64(bits).view(np.float64)))


def _java_text(value: float, shortest: str) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    sign, digits, exponent = Decimal(shortest).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    stripped = text.rstrip("0") or "0"
    exponent += len(text) - len(stripped)
    minus = "-" if sign else ""
    if stripped == "0":
        return f"{minus}0.0"
    point = len(stripped) + exponent
    if not 1e-3 <= abs(value) < 1e7:
        return f"{minus}{stripped[0]}.{stripped[1:] or '0'}E{point - 1}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{stripped}"
    return f"{minus}{stripped[:point].ljust(point, '0')}.{stripped[point:] or '0'}"


def _decimal_text(value: Decimal) -> str:
    # Python and java.math.BigDecimal share one rule for when an exponent is written
    return str(value)


def _date_text(values: pa.Array) -> pa.Array:
    text = values.cast(pa.string())
    # java.time.LocalDate marks years of more than four digits
    is_long = pc.greater(values, pa.scalar(_LAST_FOUR_DIGIT_DAY))
    return pc.if_else(is_long, pc.binary_join_element_wise("+", text, ""), text)


def _timestamp_text(values: pa.Array) -> pa.Array:
    text = pc.strftime(timestamp_millis(values).cast(pa.timestamp("ms")), format="%Y-%m-%d %H:%M:%S")
    return pc.replace_substring_regex(text, r"0{1,2}$", "")
