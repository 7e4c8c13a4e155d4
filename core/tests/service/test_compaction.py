"""Compactions, and when they are due."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hoodoo.errors import UnsupportedTable
from hoodoo.local import LocalEngine
from hoodoo.options import CompactionOptions
from hoodoo.properties import property_keys as keys
from hoodoo.service.compaction import compact, is_due
from hoodoo.timeline import instant_datetime
from hoodoo.writing.write import no_progress


@pytest.fixture
def table(written):
    return written(table_type="MERGE_ON_READ", compact_inline=False)


def run(table):
    return compact(table.storage, LocalEngine(), no_progress)


def test_slices_with_logs_get_new_base_files(table):
    table.write([0, 1], 0)
    table.write([0], 1)
    commit = run(table)
    assert (commit.operation, commit.files) == ("compact", 1), "one of two partitions has a log"
    assert table.actions()[-1] == "commit"
    assert all(not file_slice.logs for file_slice in table.table.file_slices())
    table.check()


def test_a_table_without_logs_is_left_alone(table):
    table.write([0, 1], 0)
    before = table.actions()
    assert run(table) is None
    assert table.actions() == before


def test_a_table_that_a_commit_would_harm_is_refused(table):
    table.write([0], 0)
    table.write([0], 1)
    properties = table.storage.read(".hoodie/hoodie.properties").decode()
    table.storage.replace(".hoodie/hoodie.properties", f"{properties}\n{keys.METADATA_PARTITIONS}=files\n".encode())
    with pytest.raises(UnsupportedTable):
        run(table)


@pytest.fixture
def timeline(table):
    """Return the timeline of a table after a compaction and three delta commits."""
    table.write([0], 0)
    table.write([0], 1)
    run(table)
    for n in range(2, 5):
        table.write([0], n)
    return table.table.timeline


def due(timeline, seconds=0, **options):
    last = [commit for commit in timeline.commits if commit.action == "commit"][-1]
    now = instant_datetime(last.time, timeline.zone) + timedelta(seconds=seconds)
    return is_due(timeline, CompactionOptions(**options), now)


@pytest.mark.parametrize(("after", "expected"), [(0, True), (3, True), (4, False)])
def test_delta_commits_since_the_last_compaction_are_counted(timeline, after, expected):
    assert due(timeline, compact_after_commits=after) == expected


@pytest.mark.parametrize(
    ("trigger", "few_late", "many_early", "many_late"),
    [
        ("NUM_COMMITS", False, True, True),
        ("TIME_ELAPSED", True, False, True),
        ("NUM_AND_TIME", False, False, True),
        ("NUM_OR_TIME", True, True, True),
    ],
)
def test_triggers_by_number_and_time(timeline, trigger, few_late, many_early, many_late):
    options = {"compact_trigger": trigger, "compact_after_seconds": 100}
    assert due(timeline, 100, compact_after_commits=9, **options) == few_late
    assert due(timeline, 99, compact_after_commits=1, **options) == many_early
    assert due(timeline, 100, compact_after_commits=1, **options) == many_late


def test_nothing_is_due_without_delta_commits(table):
    table.write([0], 0)
    run(table)
    assert not is_due(table.table.timeline, CompactionOptions(compact_after_commits=2))
