"""Ordering values: typed columns that are compared as one tuple, with an explicit "no value"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.errors import SchemaError

__all__ = ["Ordering", "check_orderable"]

_INT64_VIEWS = (pa.types.is_timestamp, pa.types.is_time64, pa.types.is_duration)
_INT32_VIEWS = (pa.types.is_date32, pa.types.is_time32)


def check_orderable(name: str, type_: pa.DataType) -> None:
    """Raise `SchemaError` unless the type has a total order that is the same in Hudi."""
    orderable = (
        pa.types.is_integer(type_)
        or pa.types.is_floating(type_)
        or pa.types.is_decimal(type_)
        or pa.types.is_boolean(type_)
        or pa.types.is_temporal(type_)
        or pa.types.is_string(type_)
        or pa.types.is_large_string(type_)
        or pa.types.is_binary(type_)
    )
    if not orderable:
        raise SchemaError(
            f"ordering column '{name}' has type {type_}, which cannot be ordered; "
            "use a number, string, boolean, date or timestamp column",
            code="ordering_type",
        )


@frozen(eq=False)
class Ordering:
    """Ordering values of n records: one array per ordering field, compared as a tuple. Read-only.

    A record whose values are all null has *no* ordering value: it is absent and is not replaced by a default. Without
    ordering fields every record is absent. Null is less than any other value of the same field.

    Attributes:
        fields: The names of the ordering columns.
        values: One array per ordering column, in the order of `fields`.
        absent: A mask of the records without an ordering value.
    """

    fields: tuple[str, ...]
    values: tuple[pa.Array, ...]
    absent: NDArray[np.bool_]

    def __attrs_post_init__(self) -> None:
        self.absent.flags.writeable = False

    @classmethod
    def of(cls, fields: Sequence[str], values: Sequence[pa.Array], length: int) -> Ordering:
        """Return an ordering from one array of `length` values per field."""
        absent = np.ones(length, dtype=bool)
        for array in values:
            if array.null_count == 0:
                absent[:] = False
                break
            absent &= array.is_null().to_numpy(zero_copy_only=False)
        return cls(tuple(fields), tuple(values), absent)

    def __len__(self) -> int:
        return len(self.absent)

    def take(self, rows: NDArray[np.int64]) -> Ordering:
        """Return the ordering values of the given rows, in that order."""
        indices = pa.array(rows)
        return Ordering(self.fields, tuple(v.take(indices) for v in self.values), self.absent[rows])

    def compare(self, other: Ordering) -> NDArray[np.int8]:
        """Return -1, 0 or 1 for each row: this value is less than, equal to or greater than the other.

        An absent value is less than any other value, and equal to another absent value.
        """
        result = np.zeros(len(self), dtype=np.int8)
        for mine, theirs in zip(self.values, other.values, strict=True):
            undecided = result == 0
            if not undecided.any():
                break
            result[undecided] = _compare(mine, theirs)[undecided]
        return result

    def row(self, index: int) -> tuple[object, ...] | None:
        """Return the values of one record as Python objects, or None if it is absent."""
        return None if self.absent[index] else tuple(v[index].as_py() for v in self.values)


def _compare(left: pa.Array, right: pa.Array) -> NDArray[np.int8]:
    if left.type != right.type:
        right = right.cast(left.type)
    if pa.types.is_null(left.type):
        return np.zeros(len(left), dtype=np.int8)
    left_numbers, right_numbers = _numbers(left), _numbers(right)
    if left_numbers is not None and right_numbers is not None:
        greater, less = left_numbers > right_numbers, left_numbers < right_numbers
    else:
        greater, less = _mask(pc.greater(left, right)), _mask(pc.less(left, right))
    result: NDArray[np.int8] = greater.astype(np.int8) - less.astype(np.int8)
    if left.null_count or right.null_count:
        left_null = left.is_null().to_numpy(zero_copy_only=False)
        right_null = right.is_null().to_numpy(zero_copy_only=False)
        result[left_null | right_null] = (right_null.astype(np.int8) - left_null.astype(np.int8))[
            left_null | right_null
        ]
    return result


def _numbers(array: pa.Array) -> Any:
    """Return one number per value, so that the numbers compare as the values do; None for types without such numbers.

    The number for null is arbitrary.
    """
    type_ = array.type
    if any(test(type_) for test in _INT64_VIEWS):
        array = array.view(pa.int64())
    elif any(test(type_) for test in _INT32_VIEWS):
        array = array.view(pa.int32())
    elif not (pa.types.is_integer(type_) or pa.types.is_float32(type_) or pa.types.is_float64(type_)):
        return None
    if array.null_count:
        array = array.fill_null(0)
    numbers = array.to_numpy(zero_copy_only=False)
    return _ranks(numbers) if numbers.dtype.kind == "f" else numbers


def _ranks(floats: NDArray[Any]) -> NDArray[Any]:
    """Return integers that compare as `Double.compare` and `Float.compare` of Java do.

    -0.0 is less than 0.0, and NaN, whatever its bits, is equal to itself and greater than everything else.
    """
    size = floats.dtype.itemsize
    bits = floats.view(f"i{size}")
    largest = np.iinfo(bits.dtype).max
    # for negative numbers the bits after the sign bit increase as the number decreases
    ranks: NDArray[Any] = bits >> (8 * size - 1)
    ranks &= largest
    ranks ^= bits
    nan = np.isnan(floats)
    if nan.any():
        ranks[nan] = largest
    return ranks


def _mask(array: pa.Array) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = array.fill_null(False).to_numpy(zero_copy_only=False)
    return mask
