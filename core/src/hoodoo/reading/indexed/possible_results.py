"""Results that a filter may have in file slices, from the ranges of their columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.reading.indexed.column_ranges import ColumnRanges
from hoodoo.reading.indexed.filter_tree import FLIPPED, Column, FunctionCall, Literal, Node

__all__ = ["may_match"]

_MOST_VALUES = 200
"""Maximum number of values of IN that are compared one by one; otherwise the smallest and the largest are compared."""

_MATCHES_NULL = 0
"""Value of an option of IN with which null matches a set that contains null."""

_Mask = NDArray[np.bool_]


@frozen(eq=False)
class _Results:
    """Possible results of a node for each slice: whether it may be true, and whether it may be false, in a row."""

    true: _Mask
    false: _Mask


def may_match(node: Node | None, ranges: Mapping[str, ColumnRanges], count: int) -> _Mask:
    """Return a mask of the file slices, or partitions, in which a row may match a filter, by three-valued logic.

    Args:
        node: The filter; None for an unknown one.
        ranges: The ranges of columns; other columns may have any value.
        count: The number of slices or partitions.
    """
    return _Evaluation(ranges, count).results(node).true


@frozen(eq=False)
class _Evaluation:
    ranges: Mapping[str, ColumnRanges]
    count: int

    def results(self, node: Node | None) -> _Results:
        if isinstance(node, Literal):
            value = node.value.as_py() if pa.types.is_boolean(node.value.type) else True
            return self._all(value is True, value is False) if pa.types.is_boolean(node.value.type) else self._any()
        if isinstance(node, Column):
            return self._compared("equal", node, Literal(pa.scalar(True)))
        if isinstance(node, FunctionCall):
            return self._of_call(node)
        return self._any()

    def _of_call(self, call: FunctionCall) -> _Results:
        arguments = call.arguments
        if call.function in ("and_kleene", "or_kleene") and len(arguments) == 2:
            one, two = (self.results(argument) for argument in arguments)
            if call.function == "and_kleene":
                return _Results(one.true & two.true, one.false | two.false)
            return _Results(one.true | two.true, one.false & two.false)
        if call.function == "invert" and len(arguments) == 1:
            found = self.results(arguments[0])
            return _Results(found.false, found.true)
        if call.function in FLIPPED and len(arguments) == 2:
            left, right = arguments
            if isinstance(left, Column) and isinstance(right, Literal):
                return self._compared(call.function, left, right)
            if isinstance(right, Column) and isinstance(left, Literal):
                return self._compared(FLIPPED[call.function], right, left)
        if arguments and isinstance(arguments[0], Column) and arguments[0].name in self.ranges:
            special = _SPECIAL.get(call.function)
            found_ = None if special is None else special(self.ranges[arguments[0].name], call.options)
            if found_ is not None:
                return found_
        return self._any()

    def _compared(self, function: str, column: Column, literal: Literal) -> _Results:
        ranges = self.ranges.get(column.name)
        if ranges is None:
            return self._any()
        if not literal.value.is_valid:
            return self._all(False, False)
        found = _compared(function, ranges, literal.value)
        return self._any() if found is None else found

    def _any(self) -> _Results:
        return self._all(True, True)

    def _all(self, true: bool, false: bool) -> _Results:
        return _Results(np.full(self.count, true), np.full(self.count, false))


def _compared(function: str, ranges: ColumnRanges, value: pa.Scalar) -> _Results | None:
    """Return the results of a comparison with a value; None if the types cannot be compared."""
    low, high = ranges.low, ranges.high
    try:
        # the unknown bounds are null, and so are the results: each may be true and false
        below, above = _mask(pc.less(low, value)), _mask(pc.greater(high, value))
        up_to, from_ = _mask(pc.less_equal(low, value)), _mask(pc.greater_equal(high, value))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return None
    results = {
        "equal": (up_to & from_, below | above),
        "not_equal": (below | above, up_to & from_),
        "less": (below, from_),
        "less_equal": (up_to, above),
        "greater": (above, up_to),
        "greater_equal": (from_, below),
    }
    true, false = results[function]
    return _Results(true & ranges.may_be_value, false & ranges.may_be_value)


def _mask(found: pa.Array) -> _Mask:
    return np.asarray(pc.fill_null(found, True).to_numpy(zero_copy_only=False), bool)


def _is_null(ranges: ColumnRanges, options: Mapping[str, Any]) -> _Results:
    return _Results(ranges.may_be_null, ranges.may_be_value)


def _is_valid(ranges: ColumnRanges, options: Mapping[str, Any]) -> _Results:
    return _Results(ranges.may_be_value, ranges.may_be_null)


def _is_in(ranges: ColumnRanges, options: Mapping[str, Any]) -> _Results | None:
    values, behavior = options["value_set"].values, options["null_matching_behavior"].as_py()
    if not _is_comparable(values.type, ranges.low.type):
        return None
    found = np.zeros(len(ranges.low), bool)
    present = values.drop_null()
    if len(present) > _MOST_VALUES:
        least, greatest = pc.min_max(present).values()
        found = _mask(pc.less_equal(ranges.low, greatest)) & _mask(pc.greater_equal(ranges.high, least))
    else:
        for value in present:
            found |= _mask(pc.less_equal(ranges.low, value)) & _mask(pc.greater_equal(ranges.high, value))
    true = found & ranges.may_be_value
    if values.null_count and behavior == _MATCHES_NULL:
        true = true | ranges.may_be_null
    return _Results(true, np.ones(len(true), bool))


def _is_comparable(one: pa.DataType, other: pa.DataType) -> bool:
    if pa.types.is_integer(one) and pa.types.is_integer(other):
        return True
    is_text = pa.types.is_string(one) or pa.types.is_large_string(one)
    return bool(one == other) or (is_text and pa.types.is_string(other))


def _starts_with(ranges: ColumnRanges, options: Mapping[str, Any]) -> _Results | None:
    if not pa.types.is_string(ranges.low.type) or options["ignore_case"].as_py():
        return None
    prefix = options["pattern"].as_py().encode()
    low, high = (bound.cast(pa.binary()) for bound in (ranges.low, ranges.high))
    # no UTF-8 text has this byte: texts with the prefix are between the prefix and this bound
    end = pa.scalar(prefix + b"\xff", pa.binary())
    true = _mask(pc.greater_equal(high, pa.scalar(prefix, pa.binary()))) & _mask(pc.less(low, end))
    return _Results(true & ranges.may_be_value, ranges.may_be_value)


_SPECIAL: Mapping[str, Callable[[ColumnRanges, Mapping[str, Any]], _Results | None]] = {
    "is_null": _is_null,
    "is_valid": _is_valid,
    "is_in": _is_in,
    "starts_with": _starts_with,
}
