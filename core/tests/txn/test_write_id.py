"""A write that is tried again as a whole is committed once."""

from __future__ import annotations

import pytest
from attrs import evolve

from hoodoo.storage import LocalStorage
from hoodoo.txn import WRITE_ID_KEY, begin, find_archived, find_committed


@pytest.fixture(params=[6, 9])
def storage(request, tmp_path, table):
    storage = LocalStorage(str(tmp_path / "table"))
    table.create(storage, request.param)
    return storage


def identified(table, stat, write_id="id"):
    made = table.metadata(stat)
    return evolve(made, extra_metadata={**made.extra_metadata, WRITE_ID_KEY: write_id})


def test_what_was_committed_is_found_by_its_id(storage, table):
    timeline = table.load(storage)
    assert find_committed(timeline, "id") is None
    with begin(storage, timeline) as transaction:
        done = transaction.commit(identified(table, table.write_file(storage, transaction.time, "a", [1], "x")))
    table.write(storage, "later")
    timeline = table.load(storage)
    assert find_committed(timeline, "id") == done
    assert find_committed(timeline, "other") is None
    assert find_committed(timeline, "id", frozenset(timeline.commits)) is None


def test_an_attempt_that_was_overtaken_by_another_gives_way(storage, table):
    """Both searched before either was committed; the second writes nothing and returns the commit of the first."""
    timeline = table.load(storage)
    with begin(storage, timeline) as first, begin(storage, timeline) as second:
        done = first.commit(identified(table, table.write_file(storage, first.time, "a", [1], "x")))
        stat = table.write_file(storage, second.time, "b", [2], "x")
        assert second.commit(identified(table, stat)) == done
    assert not storage.exists(stat.path)
    assert table.rows(storage) == [(1, "x")]
    assert table.load(storage).pending == ()


def test_another_id_is_another_write(storage, table):
    timeline = table.load(storage)
    with begin(storage, timeline) as first, begin(storage, timeline) as second:
        first.commit(identified(table, table.write_file(storage, first.time, "a", [1], "x"), "one"))
        second.commit(identified(table, table.write_file(storage, second.time, "b", [2], "x"), "two"))
    assert table.rows(storage) == [(1, "x"), (2, "x")]


def test_a_timeline_without_an_archive_has_no_archived_commits(storage, table):
    assert find_archived(table.load(storage), "id") is None
