"""Columns in which rows get new values and others are removed, against lists of Python."""

from __future__ import annotations

import decimal
from datetime import UTC, date, datetime

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.merge.replaced_values import Replacement

COLUMNS = {
    "int8": pa.array([1, 2, 3, 4], pa.int8()),
    "int16": pa.array([1, 2, 3, 4], pa.int16()),
    "int32": pa.array([1, 2, 3, 2**31 - 1], pa.int32()),
    "int64": pa.array([1, -(2**63), 3, 2**63 - 1]),
    "float": pa.array([1.5, -0.0, 3.25, 4.0], pa.float32()),
    "double": pa.array([1.5, -0.0, 1e300, 4.0]),
    "bool": pa.array([True, False, False, True]),
    "date": pa.array([date(2026, 1, day) for day in (1, 2, 3, 4)]),
    "timestamp": pa.array([datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3, 4)], pa.timestamp("us", tz="UTC")),
    "decimal": pa.array([decimal.Decimal(n) for n in (1, 2, 3, 4)], pa.decimal128(38, 2)),
    "string": pa.array(["a", "", "ccc", "dd"]),
    "dictionary": pa.array(["a", "b", "a", "c"]).dictionary_encode(),
    "list": pa.array([[1], [], [2, 3], [4]]),
    "struct": pa.array([{"x": n} for n in (1, 2, 3, 4)]),
}


@pytest.mark.parametrize("removed", [(), (1,), (0, 3)])
@pytest.mark.parametrize("nulls", ["none", "old", "new"])
@pytest.mark.parametrize("name", COLUMNS)
def test_rows_are_replaced_and_removed(name: str, nulls: str, removed: tuple[int, ...]) -> None:
    values = COLUMNS[name]
    old, new = values.take(pa.array([3, 2, 1, 0, 1])), values.take(pa.array([0, 3]))
    if nulls == "old":
        old = old.take(pa.array([0, 1, None, 3, 4]))
    elif nulls == "new":
        new = new.take(pa.array([0, None]))
    at = [4, 2]

    expected = old.to_pylist()
    for row, value in zip(at, new.to_pylist(), strict=True):
        expected[row] = value
    keep = np.array([row for row in range(5) if row not in removed])

    found = Replacement(5, np.array(at), keep)(old, new)

    found.validate(full=True)
    assert found.type == old.type
    assert found.to_pylist() == [expected[row] for row in keep.tolist()]


@pytest.mark.parametrize("name", COLUMNS)
def test_slices_have_their_own_rows(name: str) -> None:
    values = COLUMNS[name]

    found = Replacement(2, np.array([0]), np.arange(2))(values.slice(1, 2), values.slice(3, 1))

    assert found.to_pylist() == [values[3].as_py(), values[2].as_py()]
    assert Replacement(2, np.empty(0, np.int64), np.arange(2))(values.slice(1, 2), values.slice(0, 0)).equals(
        values.slice(1, 2)
    )


def test_the_bits_of_numbers_are_kept() -> None:
    quiet = np.array([0x7FF8000000000001, 0xFFF0000000000001, 0], dtype=np.uint64).view(np.float64)

    found = Replacement(3, np.array([2]), np.arange(3))(pa.array(quiet), pa.array(quiet[:1]))

    assert found.to_numpy().view(np.uint64).tolist() == [0x7FF8000000000001, 0xFFF0000000000001, 0x7FF8000000000001]


def test_the_old_values_are_not_changed() -> None:
    old = pa.array([1, 2, 3])

    Replacement(3, np.array([1]), np.arange(3))(old, pa.array([9]))

    assert old.to_pylist() == [1, 2, 3]


def test_positions_among_old_and_new_values() -> None:
    assert Replacement(4, np.array([3, 0]), np.array([0, 2, 3])).source.tolist() == [5, 1, 2, 4]
