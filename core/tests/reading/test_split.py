"""Properties and rows of single splits."""

from __future__ import annotations

import pickle

import pytest

from hoodoo.errors import CorruptTableError


@pytest.fixture
def splits(written):
    """Return the splits of a table with one file group, without and with a log."""
    written.write(("a", "x", 1, "1"), ("b", "x", 1, "1"))
    [plain] = written.table.splits()
    written.write(("a", "x", 2, "2"))
    [merged] = written.table.splits()
    return plain, merged


def test_a_split_names_its_files(splits):
    plain, merged = splits
    assert plain.partition == merged.partition == "x"
    assert plain.file_id == merged.file_id
    assert plain.path.startswith("x/")
    assert merged.size > plain.size


def test_a_base_file_alone_is_plain(splits):
    plain, merged = splits
    assert (plain.is_plain, plain.is_divisible) == (True, False)
    assert (merged.is_plain, merged.is_divisible) == (False, True)


def test_rows_are_counted_by_the_footer(splits):
    assert [split.stored_rows() for split in splits] == [2, 2]


def test_rows_are_merged_with_the_logs(splits):
    plain, merged = ({row["id"]: row["v"] for row in split.read().read_all().to_pylist()} for split in splits)
    assert plain == {"a": "1", "b": "1"}
    assert merged == {"a": "2", "b": "1"}


def test_another_process_reads_the_same(splits):
    for split in splits:
        again = pickle.loads(pickle.dumps(split))
        assert again.read().read_all().equals(split.read().read_all())


def test_the_rows_that_logs_change_alone(splits):
    changed = splits[1].changed()
    assert [row["v"] for row in changed.read().read_all().to_pylist()] == ["2"]
    assert changed.size < splits[1].size


def test_a_split_without_logs_is_not_divided(splits):
    with pytest.raises(ValueError, match="has no logs"):
        splits[0].divided()


def test_a_file_that_is_gone_is_damage(written, splits):
    written.storage.delete(splits[1].path)
    with pytest.raises(CorruptTableError, match="is gone"):
        splits[1].read().read_all()
