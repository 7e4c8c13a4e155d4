"""The commits that a cleaner retains."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from hoodoo.options import CleanOptions
from hoodoo.service.retention import earliest_to_retain, first_unseen, protected_files
from hoodoo.storage import LocalStorage
from hoodoo.timeline import Timeline

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def at(minute):
    return f"2026010100{minute:02}00000"


@pytest.fixture
def timeline(tmp_path):
    """Return a function that returns a timeline of version 6, with instants named by minute and suffix of their file.

    Each file is a second younger than the one before it: in version 6 the times of files give the order
    in which instants changed.
    """

    def load(*names):
        storage = LocalStorage(str(tmp_path / "t"))
        for second, name in enumerate(names):
            minute, _, suffix = name.partition(".")
            path = f".hoodie/{at(int(minute))}.{suffix}"
            storage.create(path, b"{}")
            os.utime(tmp_path / "t" / path, (second, second))
        return Timeline.load(storage, 1)

    return load


def retained(timeline, **options):
    found = earliest_to_retain(timeline, CleanOptions(**options), NOW)
    return None if found is None else int(found.time[10:12])


COMMITS = tuple(f"{minute}.commit" for minute in range(1, 6))


@pytest.mark.parametrize(("kept", "expected"), [(1, 5), (3, 3), (4, 2), (5, None), (9, None)])
def test_the_last_commits_are_retained(timeline, kept, expected):
    assert retained(timeline(*COMMITS), commits_retained=kept) == expected


def test_the_last_hours_are_retained(timeline):
    found = timeline(*COMMITS)
    begin = datetime(2026, 1, 1, 0, 2, 30, tzinfo=UTC)
    hours = CleanOptions(clean_policy="KEEP_LATEST_BY_HOURS", hours_retained=1)
    assert earliest_to_retain(found, hours, begin + timedelta(hours=1)).time == at(3)
    assert earliest_to_retain(found, hours, NOW + timedelta(days=9)).time == at(5), "the last one in any case"


def test_versions_of_files_have_no_time(timeline):
    assert retained(timeline(*COMMITS), clean_policy="KEEP_LATEST_FILE_VERSIONS") is None
    assert retained(timeline()) is None


def test_a_pending_write_retains_the_commit_before_it(timeline):
    pending = timeline("1.commit", "3.commit", "6.commit", "4.deltacommit.requested")
    assert first_unseen(pending) == at(4)
    assert retained(pending, commits_retained=1) == 3


def test_without_pending_writes_nothing_is_unseen(timeline):
    assert first_unseen(timeline(*COMMITS)) is None
    assert first_unseen(timeline("7.compaction.requested")) is None, "a compaction reads no later than its plan"


def test_nothing_relies_on_files_without_savepoints_and_plans(timeline):
    assert protected_files(timeline(*COMMITS)) == frozenset()
