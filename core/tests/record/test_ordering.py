"""Ordering values are compared in the same way as Hudi's objects, with `Double.compare` and `Float.compare`."""

from __future__ import annotations

import itertools
import struct

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoodoo.record import Ordering

INF, NAN = float("inf"), float("nan")
OTHER_NAN = struct.unpack("<d", struct.pack("<Q", 0xFFF8_0000_0000_0001))[0]
ASCENDING = [[-INF], [-1.5], [-1e-40], [-0.0], [0.0], [1e-40], [1.5], [INF], [NAN, OTHER_NAN]]
"""Lists of equal values, in ascending order."""


def compared(left: pa.Array, right: pa.Array) -> list[int]:
    one, other = (Ordering.of(("ts",), (values,), len(values)) for values in (left, right))
    return one.compare(other).tolist()


@pytest.mark.parametrize("type_", [pa.float64(), pa.float32()])
def test_zeros_have_signs_and_nan_is_the_greatest(type_: pa.DataType) -> None:
    ranked = [(rank, value) for rank, values in enumerate(ASCENDING) for value in values]
    left, right = zip(*itertools.product(ranked, repeat=2), strict=True)
    values = [pa.array([value for _, value in side], type_) for side in (left, right)]

    assert compared(*values) == [int(np.sign(a - b)) for (a, _), (b, _) in zip(left, right, strict=True)]


@pytest.mark.parametrize("type_", [pa.float64(), pa.float32()])
def test_a_null_is_less_than_any_number(type_: pa.DataType) -> None:
    left, right = pa.array([None, -INF, None, NAN], type_), pa.array([-INF, None, None, None], type_)

    assert compared(left, right) == [-1, 1, 0, 1]


@pytest.mark.parametrize(("type_", "width"), [(pa.float64(), 64), (pa.float32(), 32)])
def test_any_numbers(type_: pa.DataType, width: int) -> None:
    numbers = st.lists(st.tuples(st.floats(width=width), st.floats(width=width)), min_size=1, max_size=20)

    @settings(deadline=None)
    @given(numbers)
    def check(pairs: list[tuple[float, float]]) -> None:
        left, right = zip(*pairs, strict=True)
        assert compared(pa.array(left, type_), pa.array(right, type_)) == [java(a, b) for a, b in pairs]

    check()


def java(a: float, b: float) -> int:
    """Return the result of Java's `Double.compare`, as its documentation defines it."""
    if a < b or a > b:
        return -1 if a < b else 1
    one, other = (2 if np.isnan(v) else int(not np.signbit(v)) for v in (a, b))
    return int(np.sign(one - other))


def test_a_tuple_goes_on_behind_equal_numbers_alone() -> None:
    floats = pa.array([NAN, -0.0, 0.0]), pa.array([OTHER_NAN, 0.0, 0.0])
    longs = pa.array([1, 9, 1]), pa.array([2, 1, 0])
    one, other = (Ordering.of(("a", "b"), values, 3) for values in zip(floats, longs, strict=True))

    assert one.compare(other).tolist() == [-1, -1, 1]


def test_a_tuple_with_nulls_compares_column_by_column() -> None:
    """A null is less than any value, and nulls are equal."""
    left = pa.array([None, 1, 1, None, 2]), pa.array([9, None, None, None, None], pa.int32())
    right = pa.array([0, 1, 1, None, 1]), pa.array([1, 1, None, None, 9], pa.int32())
    one, other = (Ordering.of(("a", "b"), values, 5) for values in (left, right))

    assert one.compare(other).tolist() == [-1, -1, 0, 0, 1]
    assert other.compare(one).tolist() == [1, 1, 0, 0, -1]
