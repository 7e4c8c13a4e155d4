"""The check that the timeline and its archive can be read."""

from __future__ import annotations

import pytest

from hoodoo.diagnosis import Status
from hoodoo.diagnosis.checks import history


def test_a_damaged_commit_is_a_problem_with_its_file(table, found):
    table.write([1], 2)
    first, _ = sorted(table.path.glob(".hoodie/*.commit"))
    first.write_bytes(b"{")

    finding = found(table.diagnose(), "timeline", Status.PROBLEM)[0]
    assert finding.found.startswith("1 commit of 2 cannot be read")
    assert finding.places[0].file == f".hoodie/{first.name}"


@pytest.mark.parametrize("version", [6, 9])
def test_archived_commits_are_counted_and_a_damaged_archive_is_a_problem(make, found, version):
    table = make(table_version=version, keep_min_commits=3, keep_max_commits=4, commits_retained=1)
    for value in range(8):
        table.write([1], value)
    healthy = table.diagnose()
    (finding,) = found(healthy, "archive")
    assert finding.status is Status.OK
    assert int(finding.found.split()[0]) + int(found(healthy, "timeline")[0].found.split()[0]) == 8

    folder = table.path / (".hoodie/archived" if version == 6 else ".hoodie/timeline/history")
    file = max((f for f in folder.iterdir() if f.is_file()), key=lambda f: f.stat().st_size)
    file.write_bytes(file.read_bytes()[:-10])

    # readers skip the end of a log file of layout 1, because an interrupted archiver leaves one
    status = Status.WARNING if version == 6 else Status.PROBLEM
    (finding,) = found(table.diagnose(), "archive", status)
    assert finding.places[0].file.endswith(file.name)


def test_a_long_timeline_is_a_warning(table, found, monkeypatch):
    monkeypatch.setattr(history, "_LONG_TIMELINE", 1)
    assert not found(table.diagnose(), "timeline", Status.WARNING)
    table.write([1], 2)
    assert found(table.diagnose(), "timeline", Status.WARNING)[0].found.startswith("2 completed instants")
