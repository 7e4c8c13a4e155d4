"""Stored rows and the records that they are merged with, before rows move."""

from __future__ import annotations

import pytest
from attrs import frozen

from hoodoo.errors import DataError
from hoodoo.merge import Rule
from hoodoo.record import Choice, MergerConfig, Outcome
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.tasks.file_group_writer import GroupWriter
from hoodoo.writing.tasks.key_collisions import Collisions
from hoodoo.writing.tasks.stored_versions import StoredVersions


@pytest.fixture
def matched(storage, attempt, plan_of, records):
    """Return a function that matches records with stored rows a and b, whose ordering value is 5."""

    def match(*values, deletes=(), **options):
        plan = plan_of(index="global-simple", **options)
        rule = plan.rule.make_rule()
        stored = records(plan, ("a", "x", 5, "a5"), ("b", "x", 5, "b5"))
        [status] = GroupWriter(plan, rule, attempt).create("x", stored, 2)
        ref = SliceRef(status.file_id, "20250101000000000", status.path, status.size)
        newer = records(plan, *values, deletes=deletes)
        return StoredVersions(plan, rule, storage, Collisions(plan), {}).match("x", ref, newer, newer.keys)

    return match


def test_winners_follow_losers_and_unknown_keys_do_not(matched):
    found = matched(("b", "y", 4, "late"), ("z", "y", 9, ""), ("a", "y", 6, "a6"))
    assert found.alive.tolist() == [True, False, True]
    assert found.changed.tolist() == [False, False, True]
    assert found.follows.tolist() == [False, False, True]
    merged = found.merged.to_pylist()
    assert [merged[row]["v"] for row in found.row if row >= 0] == ["b5", "a6"]
    assert found.row.tolist()[1] == -1


def test_a_deleted_row_changes_nothing_that_moves(matched):
    found = matched(("a", "y", 6, ""), deletes="a")
    assert found.changed.tolist() == [False]
    assert found.row.tolist() == [-1]
    assert found.merged["_hoodie_record_key"].to_pylist() == ["b"] or found.merged.num_rows == 0


def test_nothing_is_merged_where_rows_do_not_move(matched):
    found = matched(("a", "y", 6, "a6"), update_partition=False)
    assert found.alive.tolist() == [True]
    assert found.changed.tolist() == [False]
    assert found.merged is None


@frozen
class KeepsAll:
    """A rule that ignores every change."""

    laws = frozenset()

    def merge(self, older, newer, context, config):
        return Outcome.all(Choice.KEEP, len(older))


def test_a_rule_that_keeps_deleted_rows_forbids_moves(storage, plan_of, rows):
    plan = plan_of(index="global-simple", table_type="MERGE_ON_READ")
    table = rows(("a", "x", 5, "a5"), ("b", "x", 5, "b5"))
    stored = table.add_column(0, "_hoodie_record_key", [["a", "b"]])
    keys = table["id"].combine_chunks().slice(0, 1)
    StoredVersions(plan, plan.rule.make_rule(), storage, Collisions(plan), {}).check_removable(stored, keys)
    rule = Rule.of_merger(KeepsAll(), "keeps-all", MergerConfig(ordering=("ts",)))
    with pytest.raises(DataError, match=r"keys such as .*a") as refused:
        StoredVersions(plan, rule, storage, Collisions(plan), {}).check_removable(stored, keys)
    assert refused.value.code == "moved_row_kept"
