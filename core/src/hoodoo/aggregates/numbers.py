"""Functions of numbers: sum, product, count, and the larger or smaller of two values of any type with an order."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import SchemaError
from hoodoo.record import Law, Ordering, check_orderable

__all__ = ["Count", "Max", "Min", "Product", "Sum"]

_COMMUTES = frozenset({Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT})
_WIDEST = 37
"""Decimals are computed with this many digits, so that the digits of two of them fit a 256-bit result."""


@frozen
class Sum:
    """The sum; a null counts for nothing, and a value that is taken back from nothing leaves its negative."""

    laws = _COMMUTES
    laws_of_retraction = _COMMUTES
    takes = "a number"

    def accepts(self, type_: pa.DataType) -> bool:
        """Numbers."""
        return _is_number(type_)

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The sum of both."""
        return pc.coalesce(_exactly(pc.add_checked, older, newer), older, newer)

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The older without the newer."""
        nothing = pa.array([0], pa.int8()).cast(newer.type)[0]
        return pc.coalesce(
            _exactly(pc.subtract_checked, older, newer),
            older,
            _exactly(pc.subtract_checked, pa.repeat(nothing, len(newer)), newer),
        )


@frozen
class Product:
    """The product; a null counts for nothing. What is taken back is divided out, integers towards zero."""

    laws = _COMMUTES
    takes = "a number"

    def accepts(self, type_: pa.DataType) -> bool:
        """Numbers."""
        return _is_number(type_)

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The product of both."""
        return pc.coalesce(_exactly(pc.multiply_checked, older, newer), older, newer)

    def retract(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The older divided by the newer; nothing can be taken back from null."""
        return pc.coalesce(_exactly(pc.divide_checked, older, newer), older)


@frozen
class Count:
    """The sum of ones: each incoming value that is not null counts as one when it comes."""

    laws = _COMMUTES
    takes = "an integer column, which holds the count"

    def accepts(self, type_: pa.DataType) -> bool:
        """Integers."""
        return bool(pa.types.is_integer(type_))

    def prepare(self, values: pa.Array) -> pa.Array:
        """One for each incoming value, zero for a null."""
        return values.is_valid().cast(values.type)

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """Both counts together."""
        return Sum().add(older, newer)


@frozen
class Max:
    """The larger value; nulls are skipped, NaN is the largest number."""

    laws = _COMMUTES | {Law.IDEMPOTENT, Law.REPLAY_SAFE}
    takes = "values that have an order"

    def accepts(self, type_: pa.DataType) -> bool:
        """Whatever can be an ordering column."""
        return _is_orderable(type_)

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The newer value where it is larger."""
        return pc.if_else(pa.array(_ordering(newer).compare(_ordering(older)) > 0), newer, older)


@frozen
class Min:
    """The smaller value; nulls are skipped."""

    laws = Max.laws
    takes = Max.takes

    def accepts(self, type_: pa.DataType) -> bool:
        """Whatever can be an ordering column."""
        return _is_orderable(type_)

    def add(self, older: pa.Array, newer: pa.Array) -> pa.Array:
        """The newer value where it is smaller."""
        smaller = pc.if_else(pa.array(_ordering(newer).compare(_ordering(older)) < 0), newer, older)
        return pc.coalesce(smaller, older, newer)


def _exactly(operation: Callable[..., pa.Array], left: pa.Array, right: pa.Array) -> pa.Array:
    """The result in the operands' type, decimals rounded half away from zero.

    Raises:
        pyarrow.ArrowInvalid: it does not fit.
    """
    type_ = left.type
    if not pa.types.is_decimal(type_):
        return operation(left, right)
    wide = pa.decimal256(_WIDEST, type_.scale)
    result = operation(left.cast(wide), right.cast(wide))
    if result.type.scale > type_.scale:
        result = pc.round(result, ndigits=type_.scale, round_mode="half_towards_infinity")
    return result.cast(type_)


def _ordering(values: pa.Array) -> Ordering:
    return Ordering.of(("value",), (values,), len(values))


def _is_number(type_: pa.DataType) -> bool:
    return bool(pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_))


def _is_orderable(type_: pa.DataType) -> bool:
    try:
        check_orderable("", type_)
    except SchemaError:
        return False
    return True
