"""Merge of records of logs with base rows, batch by batch."""

from __future__ import annotations

import pytest

from hoodoo.reading.slice import log_merger


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    """Read base rows in batches of two."""
    monkeypatch.setattr(log_merger, "BATCH_ROWS", 2)
    monkeypatch.setattr(log_merger, "MOST_BATCH_ROWS", 2)


def test_records_meet_rows_of_every_batch(written):
    written.write(*((key, "x", 5, f"{key}5") for key in "abcde"))
    written.write(("a", "x", 6, "a6"), ("d", "x", 6, "d6"), ("e", "x", 4, "late"))
    written.write(("c", "x", 6, ""), deleted=True)
    assert written.values() == [("a", "a6"), ("b", "b5"), ("d", "d6"), ("e", "e5")]


def test_a_key_that_is_stored_twice_is_changed_twice(written):
    written.write(("a", "x", 1, "1"), ("a", "x", 1, "1"), ("b", "x", 1, "1"), ("a", "x", 1, "1"), operation="insert")
    written.write(("a", "x", 2, "2"))
    assert written.values() == [("a", "2"), ("a", "2"), ("a", "2"), ("b", "1")]


def test_rows_that_a_rule_changes_in_part_keep_their_other_columns(written):
    options = {"merger": "null-partial", "ordering": None}
    written.write(("a", "x", 1, "1"), ("b", "x", 1, "1"), ("c", "x", 1, "1"), **options)
    written.write(("c", "x", 2, None), **options)
    assert written.values() == [("a", "1"), ("b", "1"), ("c", "1")]
    [row] = written.table.to_arrow(columns=["id", "ts"]).to_pylist()[-1:]
    assert row == {"id": "c", "ts": 2}
