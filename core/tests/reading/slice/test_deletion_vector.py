"""A slice in two parts: unchanged base rows, and changed rows."""

from __future__ import annotations

import numpy as np
import pytest

from hoodoo.errors import CorruptTableError


@pytest.fixture
def split(written):
    written.write(*((key, "x", 5, f"{key}5") for key in "abcd"))
    written.write(("b", "x", 6, "b6"), ("c", "x", 4, "late"))
    written.write(("d", "x", 6, ""), deleted=True)
    [found] = written.table.splits()
    return found


def test_changed_and_removed_rows_are_marked_in_the_order_of_the_base_file(split):
    assert split.divided().deletion_vector.tolist() == [False, True, False, True]


def test_the_changed_part_has_the_winners_of_the_logs(split):
    assert split.changed().read().read_all()["v"].to_pylist() == ["b6"]


def test_surviving_records_are_the_changed_part_without_a_read_of_base_rows(split):
    surviving = split.divided().surviving
    assert surviving.tolist() == [True, False, False]
    assert split.changed(surviving).read().read_all()["v"].to_pylist() == ["b6"]


def test_a_log_that_changed_since_the_merge_is_reported(split):
    with pytest.raises(CorruptTableError, match="changed during the query"):
        split.changed(np.ones(1, dtype=bool)).read().read_all()


def test_both_parts_are_all_rows(split):
    deletion_vector = split.divided().deletion_vector
    base = [f"{key}5" for key, gone in zip("abcd", deletion_vector, strict=True) if not gone]
    changed = split.changed().read().read_all()["v"].to_pylist()
    assert sorted(base + changed) == sorted(split.read().read_all()["v"].to_pylist()) == ["a5", "b6", "c5"]
