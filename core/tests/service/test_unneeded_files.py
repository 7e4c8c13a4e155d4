"""Files that a clean deletes, by policy."""

from __future__ import annotations

import pytest

from hoodoo.options import CleanOptions
from hoodoo.service.retention import earliest_to_retain
from hoodoo.service.unneeded_files import unneeded_files
from hoodoo.timeline import utc_now


@pytest.fixture
def gone(written):
    """Return a function that writes one key several times, and finds the files that a policy does not need.

    It returns the numbers of the commits that wrote these files.
    """

    def find(times, *, operation=None, **options):
        table = written()
        commits = [table.write([0], n) for n in range(times)]
        if operation is not None:
            commits.append(table.write([0], times, operation=operation))
        policy = CleanOptions(**options)
        timeline = table.table.timeline
        paths = unneeded_files(table.storage, timeline, policy, earliest_to_retain(timeline, policy, utc_now()))
        assert list(paths) == sorted(paths)
        return [n for n, commit in enumerate(commits) for path in paths if path.endswith(f"_{commit.instant}.parquet")]

    return find


def test_commits_that_are_retained_keep_their_files_and_those_before(gone):
    # with two of five commits retained, the first of them reads the file of the third
    assert gone(5, commits_retained=2) == [0, 1]


@pytest.mark.parametrize(("times", "expected"), [(2, []), (3, [0])])
def test_the_file_before_the_only_retained_commit_stays(gone, times, expected):
    assert gone(times, commits_retained=1) == expected


@pytest.mark.parametrize(("versions", "expected"), [(1, [0, 1, 2]), (3, [0]), (4, [])])
def test_file_versions_are_counted(gone, versions, expected):
    options = {"clean_policy": "KEEP_LATEST_FILE_VERSIONS", "file_versions_retained": versions}
    assert gone(4, **options) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"commits_retained": 1}, []),
        ({"clean_policy": "KEEP_LATEST_FILE_VERSIONS", "file_versions_retained": 1}, [0, 1]),
    ],
)
def test_replaced_groups_go_completely_once_no_retained_commit_reads_them(gone, options, expected):
    assert gone(2, operation="insert_overwrite_table", **options) == expected
