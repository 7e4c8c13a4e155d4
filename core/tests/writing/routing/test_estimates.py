"""Estimates of a write from earlier commits."""

from __future__ import annotations

import pytest

from hoodoo.archived_timeline import load_timeline
from hoodoo.properties import load_properties
from hoodoo.testing.engine import write_arrow
from hoodoo.writing.routing import estimates
from hoodoo.writing.routing.estimates import is_small


@pytest.fixture
def timeline(storage, rows):
    """Return a function that writes rows to a table, and returns its timeline."""

    def write(*values, **options):
        table = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts", **options}
        write_arrow(rows(*values), storage.uri, table)
        return load_timeline(storage, load_properties(storage))

    return write


def test_a_write_is_small_if_the_last_one_with_its_action_was(timeline, monkeypatch):
    current = timeline(("a", "x", 1, "1"), ("b", "y", 1, "1"))
    assert is_small(current, "commit")
    assert not is_small(current, "deltacommit")
    monkeypatch.setattr(estimates, "MOST_FILES", 1)
    assert not is_small(current, "commit")
    assert is_small(timeline(("a", "x", 2, "2")), "commit")
    monkeypatch.setattr(estimates, "MOST_BYTES", 100)
    assert not is_small(timeline(("a", "x", 3, "3")), "commit")


def test_a_write_with_another_action_in_between_does_not_count(timeline, monkeypatch):
    timeline(("a", "x", 1, "1"), ("b", "y", 1, "1"))
    current = timeline(("a", "x", 2, "2"), operation="insert_overwrite")
    monkeypatch.setattr(estimates, "MOST_FILES", 1)
    assert is_small(current, "replacecommit")
    assert not is_small(current, "commit")
