"""Arithmetic, order and items of lists, against values that were worked out by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hoodoo_library_column_values.arithmetic import checked, is_number, total
from hoodoo_library_column_values.comparison import compare, is_orderable
from hoodoo_library_column_values.items import Items, joined, rank, true_where


def test_a_sum_skips_nulls() -> None:
    older, newer = pa.array([1, None, 3, None]), pa.array([10, 20, None, None])

    assert total(older, newer).to_pylist() == [11, 20, 3, None]


def test_products_of_decimals_are_rounded_half_away_from_zero() -> None:
    type_ = pa.decimal128(6, 2)
    left = pa.array([Decimal("0.05"), Decimal("-0.05")], type_)
    right = pa.array([Decimal("0.50"), Decimal("0.50")], type_)

    assert checked(pc.multiply_checked, left, right).to_pylist() == [Decimal("0.03"), Decimal("-0.03")]


def test_decimals_of_38_digits_are_computed() -> None:
    type_ = pa.decimal128(38, 2)
    most, less, one = Decimal("9" * 36 + ".99"), Decimal("9" * 35 + "8.99"), Decimal("1.00")
    left, right = pa.array([most, one], type_), pa.array([one, one], type_)

    assert checked(pc.subtract_checked, left, right).to_pylist() == [less, 0]
    assert checked(pc.add_checked, pa.array([less], type_), pa.array([one], type_)).to_pylist() == [most]
    assert checked(pc.multiply_checked, left, right).to_pylist() == [most, one]


@pytest.mark.parametrize(
    ("operation", "type_", "left", "right"),
    [
        (pc.add_checked, pa.decimal128(38, 0), Decimal("9" * 38), Decimal(1)),
        (pc.add_checked, pa.int8(), 127, 1),
        (pc.divide_checked, pa.int64(), 1, 0),
        (pc.add_checked, pa.decimal128(3, 2), Decimal("9.99"), Decimal("0.01")),
    ],
)
def test_a_result_that_does_not_fit_is_an_overflow(operation: Any, type_: pa.DataType, left: Any, right: Any) -> None:
    with pytest.raises(OverflowError, match=r"."):
        checked(operation, pa.array([left], type_), pa.array([right], type_))


def test_numbers_and_types_with_an_order() -> None:
    types = [pa.int32(), pa.float64(), pa.decimal128(5, 1), pa.bool_(), pa.string(), pa.list_(pa.int32())]

    assert [is_number(type_) for type_ in types] == [True, True, True, False, False, False]
    assert [is_orderable(type_) for type_ in types] == [True, True, True, True, True, False]


def test_null_is_less_than_any_value_and_nan_greater_than_any_number() -> None:
    one, other = pa.array([1.0, None, float("nan"), 2.0, None]), pa.array([2.0, 1.0, 5.0, 2.0, None])

    assert compare(one, other).tolist() == [-1, -1, 1, 0, 0]


def test_items_of_two_lists_are_joined_row_by_row() -> None:
    first, second = pa.array([["a", "b"], None, ["c"]]), pa.array([["b"], ["d"], []])
    items, of_second = joined(Items.of(first), Items.of(second))

    assert items.rows.tolist() == [0, 0, 0, 1, 2]
    assert items.values.to_pylist() == ["a", "b", "b", "d", "c"]
    assert of_second.tolist() == [False, False, True, True, False]
    assert items.offsets().to_pylist() == [0, 3, 4, 5]
    assert rank(items.codes()).tolist() == [0, 0, 1, 0, 0]
    assert items.keep(of_second).values.to_pylist() == ["b", "d"]


def test_equal_values_of_different_rows_are_different_items() -> None:
    codes = Items.of(pa.array([[1], [1], [2, None, None]])).codes()

    assert codes[0] != codes[1]
    assert rank(codes).tolist() == [0, 0, 0, 0, 1]


def test_a_null_is_false_in_a_mask() -> None:
    assert true_where(pa.array([True, None, False])).tolist() == [True, False, False]
