"""Changes of one commit to one file group."""

from __future__ import annotations

import pickle

import pytest
from attrs import evolve

from hoodoo.errors import CorruptTableError


def test_changes_without_change_logs(recorded, logged, story):
    for made in (recorded, logged):
        expected = story(made)
        assert made.changes() == expected


@pytest.mark.parametrize("mode", ["data_before_after", "data_before", "op_key_only"])
def test_change_logs_of_each_form_give_the_changes_that_base_files_give(recorded, story, mode):
    expected = story(recorded)
    recorded.add_logs(mode)
    with_logs = [split for split in recorded.splits() if split.logs]
    assert len(with_logs) == 3
    assert {split.before is None for split in with_logs} == {mode != "op_key_only"}
    assert {split.after is None for split in with_logs} == {mode == "data_before_after"}
    assert recorded.changes() == expected


def test_a_change_log_is_read_instead_of_base_files(recorded, story):
    story(recorded)
    recorded.add_logs("data_before_after")
    [split, *_] = [split for split in recorded.splits() if split.logs]
    for file in (recorded.path / split.partition).glob("*.parquet"):
        file.write_bytes(b"")
    assert sorted(split.read().read_all()["op"].to_pylist()) == ["i", "u"]


def test_a_key_without_a_row_is_damage(recorded, story):
    story(recorded)
    recorded.add_logs("op_key_only")
    [split, *others] = [split for split in recorded.splits() if split.logs]
    with pytest.raises(CorruptTableError, match=r"names record key '.', which its file slice does not have"):
        evolve(split, before=None, after=others[0].after).read().read_all()


def test_another_process_reads_the_same(recorded, logged, story):
    for made in (recorded, logged):
        story(made)
        for split in made.splits():
            assert not split.is_plain
            assert not split.is_divisible
            assert split.stored_rows() == 0
            assert split.size > 0
            again = pickle.loads(pickle.dumps(split))
            assert again.read().read_all().equals(split.read().read_all())
