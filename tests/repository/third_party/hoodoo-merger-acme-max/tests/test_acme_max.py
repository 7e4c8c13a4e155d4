from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hoodoo_merger_acme_max import Longest, Max

from hoodoo.record import Choice, MergerConfig, Ordering, RecordContext, Records, Source


def pair(column: str, older: list[object], newer: list[object]) -> tuple[Records, Records]:
    """Return two versions of each of n keys, which differ in one column."""
    table = pa.table({column: [*older, *newer]})
    keys = pa.array([str(row) for row in range(len(older))] * 2)
    length = table.num_rows
    live = np.ones(length, dtype=bool)
    source = Source(table, table.schema, keys, Ordering.of((), (), length), np.zeros(length, np.int8), live)
    rows = np.arange(length).reshape(2, -1)
    return source.records(rows[0]), source.records(rows[1])


def merge(column: str, older: list[object], newer: list[object]) -> list[Choice]:
    """Return the choices for pairs of one column's values."""
    left, right = pair(column, older, newer)
    return [Choice(code) for code in Max(column).merge(left, right, RecordContext(left.schema), MergerConfig()).choice]


@pytest.mark.parametrize(
    ("older", "newer", "choice"),
    [
        (1, 2, Choice.TAKE),
        (2, 1, Choice.KEEP),
        (2, 2, Choice.TAKE),
        (None, 1, Choice.TAKE),
        (1, None, Choice.KEEP),
        ("b", "a", Choice.KEEP),
        (float("nan"), 1.5, Choice.KEEP),
    ],
)
def test_the_larger_value_wins(older, newer, choice):
    assert merge("price", [older], [newer]) == [choice]


def test_a_column_that_the_table_does_not_have_is_refused():
    with pytest.raises(ValueError, match="'cost', which the table does not have"):
        Max("cost").merge(*pair("price", [1], [2]), RecordContext(pa.schema([("price", pa.int64())])), MergerConfig())


def test_rows_are_decided_one_by_one():
    assert merge("price", [1, 9, None], [2, 3, None]) == [Choice.TAKE, Choice.KEEP, Choice.TAKE]


def test_the_longest_text_stays():
    older, newer = pa.array(["abc", "a", None]), pa.array(["ab", "b", "c"])

    assert Longest().add(older, newer).to_pylist() == ["abc", "b", "c"]
