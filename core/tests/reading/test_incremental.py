"""Ranges of commits in incremental queries."""

from __future__ import annotations

import re

import pytest

from hoodoo.errors import OptionError
from hoodoo.reading.incremental import Range, commits_of_changes, completed_until


@pytest.fixture
def instants(written):
    return [written.write((key, part, 1, "1")) for key, part in (("a", "x"), ("b", "y"), ("c", "x"))]


def found(written, begin=None, end=None, full_scan=False):
    return Range.of(written.timeline, begin, end, full_scan=full_scan)


def test_a_range_begins_after_one_commit_and_ends_with_another(written, instants):
    def times(*bounds):
        return [commit.time for commit in found(written, *bounds).commits]

    assert times() == times("earliest") == times("0") == instants
    assert times(instants[0]) == instants[1:]
    assert times(instants[0], instants[1]) == instants[1:2]
    assert times(instants[2]) == []


def test_commits_of_changes_are_selected_by_their_instants(written, instants):
    def times(*bounds):
        return [commit.time for commit in commits_of_changes(written.timeline, *bounds)]

    assert times(None, None) == times("earliest", None) == instants
    assert times(instants[0], None) == instants[1:]
    assert times(instants[0], instants[1]) == instants[1:2]
    with pytest.raises(OptionError, match="swap 'begin' and 'end'"):
        times(instants[1], instants[0])


def test_a_timeline_until_a_commit(written, instants):
    timeline = written.timeline
    completed = timeline.commits[1].completed_at
    assert [commit.time for commit in completed_until(timeline, completed).commits] == instants[:2]
    assert [commit.time for commit in completed_until(timeline, completed, inclusive=False).commits] == instants[:1]


def test_a_range_that_ends_before_it_begins_is_refused(written, instants):
    with pytest.raises(OptionError, match="swap 'begin' and 'end'"):
        found(written, instants[1], instants[0])


def test_the_table_at_the_end_lacks_later_commits(written, instants):
    view = found(written, None, instants[1]).at_end(written.timeline)
    assert [commit.time for commit in view.commits] == instants[:2]
    assert found(written).at_end(written.timeline).commits == written.timeline.commits


def test_only_file_groups_of_the_range_are_touched(written, instants):
    slices = written.table.file_slices()
    touched = found(written, instants[0], instants[1]).touched(written.timeline, slices)
    assert [file_slice.partition for file_slice in touched] == ["y"]


def test_a_range_that_begins_before_the_archive_needs_a_full_scan(written, instants):
    written.table.archive(keep_min_commits=1, keep_max_commits=2, commits_retained=1)
    with pytest.raises(OptionError) as refused:
        found(written)
    assert refused.value.code == "archived"
    [advised] = re.findall(r"begin at (\d+) or later", str(refused.value))
    assert found(written, advised).commits == written.timeline.commits
    assert found(written, full_scan=True).is_incomplete
    assert not found(written, instants[2]).is_incomplete


def test_a_full_scan_finds_an_archived_commit_that_began_before_the_range(written):
    instants = [written.write((key, "x", 1, "1"), table_version=9) for key in "abcdef"]
    first, second = written.timeline.commits[:2]
    # the first commit is completed after the second one, as if another process had written it
    later = str(int(second.completed_at) + 1)
    old = written.timeline.path_of(first)
    written.storage.create(old.replace(first.completed_at, later), written.storage.read(old))
    written.storage.delete(old)
    written.table.archive(keep_min_commits=1, keep_max_commits=2, commits_retained=1)
    query = {"query_type": "incremental", "begin": second.completed_at, "full_scan": True}
    assert found(written, second.completed_at, full_scan=True).early == {instants[0]}
    assert written.values(**query) == [(key, "1") for key in "acdef"]
    assert written.values(**query | {"begin": later}) == [(key, "1") for key in "cdef"]
