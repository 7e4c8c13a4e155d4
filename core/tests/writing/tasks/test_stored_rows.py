"""Rows that are stored under some keys."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.tasks.stored_rows import rows_under

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts", "table_type": "MERGE_ON_READ"}


@pytest.fixture
def ref(storage, rows):
    """Return a slice with rows a, b and c."""
    write_arrow(rows(("a", "x", 1, "a1"), ("b", "x", 1, "b1"), ("c", "x", 1, "c1")), storage.uri, OPTIONS)
    return latest(storage)


def latest(storage):
    [file_slice] = hoodoo.Table(storage.uri).file_slices()
    return SliceRef.of(file_slice)


def test_rows_of_a_base_file_by_key(storage, plan_of, ref):
    found = rows_under(plan_of(), storage, "x", ref, pa.array(["c", "z", "a"]), ["v", "unknown"])
    assert found.to_pylist() == [{"_hoodie_record_key": "a", "v": "a1"}, {"_hoodie_record_key": "c", "v": "c1"}]


def test_rows_of_a_slice_with_logs_are_merged(storage, plan_of, rows, ref):
    write_arrow(rows(("a", "x", 2, "a2")), storage.uri, OPTIONS)
    write_arrow(rows(("b", "x", 2, "")), storage.uri, {**OPTIONS, "operation": "delete"})
    found = rows_under(plan_of(), storage, "x", latest(storage), pa.array(["a", "b", "c"]), ["v"])
    assert sorted(row["v"] for row in found.to_pylist()) == ["a2", "c1"]


def test_a_new_slice_has_no_rows(storage, plan_of):
    found = rows_under(plan_of(), storage, "x", SliceRef("f", "1", "", 0), pa.array(["a"]), ["v"])
    assert found.num_rows == 0
    assert found.schema.names == ["_hoodie_record_key", "v"]


def test_only_the_base_file_is_read_of_a_slice_that_another_writer_replaced(storage, plan_of, ref):
    replaced = SliceRef("another", "1", ref.path, ref.size, logs=(".gone",))
    found = rows_under(plan_of(), storage, "x", replaced, pa.array(["a"]), ["v"])
    assert found["v"].to_pylist() == ["a1"]
