"""Deletes whose tombstone is lost."""

from __future__ import annotations

from hoodoo.explain.lost_deletes import lost_deletes


def test_a_tombstone_in_a_log_is_lost_with_the_next_base_file(by_hand):
    tombstone = by_hand.version(2, commit="20", ts=9, delete="key_only")
    older = by_hand.trace(by_hand.version(1, place="base"), tombstone, decisions=[by_hand.decision(1, 2)])
    newer = by_hand.trace(base_instant="30")
    [lost] = lost_deletes([[newer, older]])
    assert (lost.commit, lost.version, lost.dropped_by) == ("20", tombstone, "30")
    assert (lost.partition, lost.file_id) == ("x", "f-0")


def test_a_row_that_the_next_base_file_lacks_was_deleted_by_that_commit(by_hand):
    older = by_hand.trace(by_hand.version(1, place="base"), results=(1,))
    [lost] = lost_deletes([[by_hand.trace(base_instant="30"), older]])
    assert (lost.commit, lost.version, lost.dropped_by) == ("30", None, "30")


def test_nothing_is_lost_where_the_next_base_file_has_the_row(by_hand):
    older = by_hand.trace(by_hand.version(1, place="base"), results=(1,))
    newer = by_hand.trace(by_hand.version(1, place="base"), results=(1,), base_instant="30")
    assert lost_deletes([[newer, older]]) == ()
    assert lost_deletes([[newer]]) == ()
    assert lost_deletes([[by_hand.trace(base_instant="30"), by_hand.trace()]]) == ()


def test_the_version_that_won_is_the_tombstone(by_hand):
    versions = [by_hand.version(1, commit="11", delete="key_only"), by_hand.version(2, commit="12", delete="flagged")]
    kept = by_hand.trace(*versions, decisions=[by_hand.decision(1, 2, "keep")])
    taken = by_hand.trace(*versions, decisions=[by_hand.decision(1, 2, "take")])
    newer = by_hand.trace(base_instant="30")
    assert lost_deletes([[newer, kept]])[0].commit == "11"
    assert lost_deletes([[newer, taken]])[0].commit == "12"


def test_lost_deletes_of_all_groups_are_in_order_of_their_commits(by_hand):
    def group(base, name):
        older = by_hand.trace(by_hand.version(1, place="base"), results=(1,), file_id=name)
        return [by_hand.trace(base_instant=base, file_id=name), older]

    assert [lost.file_id for lost in lost_deletes([group("40", "f"), group("30", "g")])] == ["g", "f"]
