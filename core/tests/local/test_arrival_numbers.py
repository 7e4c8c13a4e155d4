"""Arrival numbers by position, content and column."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest

from hoodoo.errors import SchemaError
from hoodoo.local.arrival_numbers import arrival_numbers

ROWS = pa.table(
    {"id": ["a", "b", "a"], "m": pa.array([[("k", 1)], None, [("k", 1)]], pa.map_(pa.string(), pa.int64()))}
)


def test_positions_continue_from_the_first_row():
    assert arrival_numbers(ROWS, "position", 7).to_pylist() == [7, 8, 9]


def test_equal_rows_have_equal_numbers_by_content_wherever_they_are():
    numbers = arrival_numbers(ROWS, "content", 0).to_pylist()

    assert numbers[0] == numbers[2] != numbers[1]
    assert arrival_numbers(ROWS.take([1, 0]), "content", 5).to_pylist() == [numbers[1], numbers[0]]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([3, None], pa.int32()), [3, -(2**63)]),
        (pa.array([date(1970, 1, 3), None]), [2, -(2**63)]),
        (pa.array([datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)], pa.timestamp("us", "UTC")), [1_000_000]),
    ],
)
def test_a_column_gives_its_values_and_null_comes_first(values, expected):
    assert arrival_numbers(pa.table({"at": values}), "at", 0).to_pylist() == expected
    assert (
        arrival_numbers(pa.table({"s": pa.StructArray.from_arrays([values], ["at"])}), "s.at", 0).to_pylist()
        == expected
    )


def test_a_column_of_text_is_refused():
    with pytest.raises(SchemaError, match="arrival column 'id' is of type string; use a whole number") as raised:
        arrival_numbers(ROWS, "id", 0)
    assert raised.value.code == "arrival_type"
