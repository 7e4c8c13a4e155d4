"""Arithmetic in the type of a column, without floats for decimals; a result that does not fit raises an error."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["checked", "is_number", "total"]

_DIGITS = {pc.add_checked: (38, 38), pc.subtract_checked: (38, 38), pc.multiply_checked: (38, 37)}
"""Numbers of digits with which the operands of an operation on decimals are computed, so that a 256-bit result fits."""

_OTHER_DIGITS = (37, 37)


def is_number(type_: pa.DataType) -> bool:
    """Return whether a type is an integer, floating point or decimal type."""
    return bool(pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_))


def total(older: pa.Array, newer: pa.Array) -> pa.Array:
    """Return the sums of two numeric arrays of one type, row by row; null only where both values are null.

    Raises:
        OverflowError: As `checked`.
    """
    return pc.coalesce(checked(pc.add_checked, older, newer), older, newer)


def checked(operation: Callable[..., pa.Array], left: pa.Array, right: pa.Array) -> pa.Array:
    """Return the result of a checked operation of Arrow, in the type of its operands.

    Decimals are rounded half away from zero.

    Raises:
        OverflowError: A result does not fit the type, or is undefined, as for a division by zero; or `right` in a
            product, or either operand of a division, is a decimal with 38 digits.
    """
    try:
        return _computed(operation, left, right)
    except pa.ArrowInvalid as error:
        raise OverflowError(str(error)) from error


def _computed(operation: Callable[..., pa.Array], left: pa.Array, right: pa.Array) -> pa.Array:
    type_ = left.type
    if not pa.types.is_decimal(type_):
        return operation(left, right)
    one, other = (pa.decimal256(digits, type_.scale) for digits in _DIGITS.get(operation, _OTHER_DIGITS))
    result = operation(left.cast(one), right.cast(other))
    if result.type.scale > type_.scale:
        result = pc.round(result, ndigits=type_.scale, round_mode="half_towards_infinity")
    return result.cast(type_)
