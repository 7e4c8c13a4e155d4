"""File slices that hold incoming keys."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.index.index_types import SimpleIndex
from hoodoo.index.key_lookup import IncomingKeySearch
from hoodoo.testing.engine import write_arrow
from hoodoo.writing.stages.slice_lookup import located

OPTIONS = {
    "table_name": "t",
    "record_key": "id",
    "partition_by": "p",
    "ordering": "ts",
    "table_type": "MERGE_ON_READ",
    "small_file_limit": 0,
}


@pytest.fixture
def found(storage, plan_of, slices_at):
    """Return a function that looks up keys in the stored slices, and returns the found keys by slot."""

    def look(*keys):
        slices = slices_at()
        search = IncomingKeySearch(storage, pa.array(keys), SimpleIndex())
        located_ = located(plan_of(slices, table_type="MERGE_ON_READ"), storage, "x", slices["x"], search)
        return {slot: [keys[position] for position in positions] for slot, positions in located_.items()}

    return look


def test_each_slice_has_its_keys(storage, rows, found):
    write_arrow(rows(("a", "x", 1, "1")), storage.uri, OPTIONS)
    write_arrow(rows(("b", "x", 1, "1")), storage.uri, OPTIONS)
    assert sorted(found("z", "b", "a").values()) == [["a"], ["b"]]


def test_a_key_that_was_inserted_twice_is_in_both_slices(storage, rows, found):
    for _ in range(2):
        write_arrow(rows(("a", "x", 1, "1")), storage.uri, {**OPTIONS, "operation": "insert"})
    assert list(found("a").values()) == [["a"], ["a"]]


def test_a_copy_that_a_log_deleted_does_not_count(storage, rows, found):
    write_arrow(rows(("a", "x", 1, "1"), ("b", "x", 1, "1")), storage.uri, OPTIONS)
    write_arrow(rows(("a", "x", 1, "")), storage.uri, {**OPTIONS, "operation": "delete"})
    write_arrow(rows(("a", "x", 2, "2")), storage.uri, {**OPTIONS, "operation": "insert"})
    assert sorted(found("a", "b").values()) == [["a"], ["b"]]


def test_a_key_that_is_deleted_everywhere_stays_with_one_slice(storage, rows, found):
    for _ in range(2):
        write_arrow(rows(("a", "x", 1, "1")), storage.uri, {**OPTIONS, "operation": "insert"})
    write_arrow(rows(("a", "x", 1, "")), storage.uri, {**OPTIONS, "operation": "delete"})
    assert sorted(found("a").values()) == [[], ["a"]]
