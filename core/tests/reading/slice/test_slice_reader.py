"""Rows of a slice with logs."""

from __future__ import annotations

import pytest

from hoodoo.reading.slice.slice_reader import merged_rows


@pytest.fixture
def rows(written):
    """Return a function that reads the only slice, and returns its pairs of key and value in the order of reading."""

    def read():
        [split] = written.table.splits()
        tables = merged_rows(written.storage, split.file_slice, split.merge)
        return [(row["id"], row["v"]) for table in tables for row in table.to_pylist()]

    return read


def test_unchanged_rows_come_first_in_order_and_winners_of_the_logs_last(written, rows):
    written.write(("a", "x", 1, "a1"), ("b", "x", 1, "b1"), ("c", "x", 1, "c1"))
    written.write(("a", "x", 2, "a2"))
    assert rows() == [("b", "b1"), ("c", "c1"), ("a", "a2")]


def test_late_records_change_nothing(written, rows):
    written.write(("a", "x", 5, "a5"), ("b", "x", 5, "b5"))
    written.write(("a", "x", 4, "late"))
    assert rows() == [("a", "a5"), ("b", "b5")]


def test_deleted_rows_are_left_out(written, rows):
    written.write(("a", "x", 1, "a1"), ("b", "x", 1, "b1"))
    written.write(("b", "x", 2, ""), deleted=True)
    assert rows() == [("a", "a1")]


def test_the_newest_of_several_logs_wins(written, rows):
    written.write(("a", "x", 1, "a1"))
    for n in (2, 4, 3):
        written.write(("a", "x", n, f"a{n}"))
    assert rows() == [("a", "a4")]


def test_records_without_a_base_row_are_added(written, rows):
    options = {"index": "bucket", "buckets": 1}
    written.write(("a", "x", 1, "a1"), **options)
    written.write(("b", "x", 1, "b1"), **options)
    assert sorted(rows()) == [("a", "a1"), ("b", "b1")]
