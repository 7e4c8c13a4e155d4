"""Table services after a write: the defaults, and failures."""

from __future__ import annotations

import pytest

from hoodoo.service.inline import ServiceFailed


def test_a_write_cleans_as_hudi_does(written):
    table = written(clean_automatic=None, archive_automatic=None)
    for n in range(11):
        table.write([0], n)
    assert table.actions() == ["commit"] * 11
    table.write([0], 11)
    # ten commits, and what counted before them
    assert table.actions() == ["commit"] * 12 + ["clean"]
    assert len(table.files()) == 11
    table.check()


def test_cleaning_waits_for_its_commits(written):
    options = {"hoodie.cleaner.commits.retained": "1", "hoodie.clean.max.commits": "3"}
    table = written(clean_automatic=True, **options)
    for n in range(6):
        table.write([0], n)
    assert table.actions() == ["commit"] * 3 + ["clean"] + ["commit"] * 3 + ["clean"]


def test_a_service_that_fails_leaves_the_commit(written):
    table = written(commits_retained=1, keep_min_commits=1, keep_max_commits=2)
    commits = [table.write([0], n) for n in range(3)]
    table.storage.create(f".hoodie/{commits[0].instant}.savepoint", b"no savepoint")
    with pytest.warns(
        ServiceFailed,
        match=r"the rows are committed, and cleaning failed \(the next write runs it again\): .*savepoint",
    ):
        table.write([0], 3, clean_automatic=True)
    table.check()
