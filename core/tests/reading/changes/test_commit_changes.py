"""File groups that a commit changed."""

from __future__ import annotations

import json

import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.reading.changes.commit_changes import changed_groups, changes_rows

from .conftest import Recorded


def found(made):
    timeline = made.table.timeline
    return [list(changed_groups(timeline, commit)) for commit in timeline.commits]


def test_a_new_and_a_rewritten_file_group(recorded):
    first = recorded.write(("a", "x", 1, "1"))
    recorded.write(("a", "x", 2, "2"))
    [[new], [rewritten]] = found(recorded)
    assert new.group == rewritten.group == ("x", new.file_id)
    assert (new.base, rewritten.base) == (None, first)
    assert new.files != rewritten.files
    assert not new.logs
    assert not new.is_replaced


def test_a_log_continues_a_base_file(tmp_path):
    made = Recorded(tmp_path / "t", table_type="MERGE_ON_READ")
    first = made.write(("a", "x", 1, "1"))
    made.write(("a", "x", 2, "2"))
    [_, [change]] = found(made)
    assert change.base == first
    assert ".log." in change.files[0]


def test_change_logs_of_a_commit(recorded):
    recorded.write(("a", "x", 1, "1"))
    recorded.write(("a", "x", 2, "2"))
    recorded.add_logs("data_before_after")
    [_, [change]] = found(recorded)
    assert len(change.logs) == 1
    assert change.logs[0].endswith(".cdc")


def test_a_change_log_outside_the_table_is_refused(recorded):
    instant = recorded.write(("a", "x", 1, "1"))
    commit = recorded.path / ".hoodie" / f"{instant}.commit"
    document = json.loads(commit.read_text())
    document["partitionToWriteStats"]["x"][0]["cdcStats"] = {"../else.cdc": 1}
    commit.write_text(json.dumps(document))
    with pytest.raises(CorruptTableError, match=r"\.commit'.*else\.cdc"):
        found(recorded)


def test_replaced_file_groups(recorded):
    recorded.write(("a", "x", 1, "1"))
    recorded.write(("b", "x", 1, "1"), operation="insert_overwrite")
    [[old], changes] = found(recorded)
    assert [change.file_id for change in changes if change.is_replaced] == [old.file_id]
    assert len(changes) == 2


def test_a_compaction_changes_no_row(logged):
    logged.write(("a", "x", 1, "1"))
    logged.write(("a", "x", 2, "2"))
    logged.compact()
    timeline = logged.table.timeline
    assert [changes_rows(timeline, commit) for commit in timeline.commits] == [True, True, False]
