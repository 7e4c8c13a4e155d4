"""Records of a task's rows, and the file group that they are written to."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.errors import DataError
from hoodoo.writing.data_files.task_attempt import TaskAttempt, WriteToken
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.tasks.group_merge import GroupMerge, take_rows
from hoodoo.writing.tasks.incoming_rows import ARRIVAL


@pytest.fixture
def merge(storage, attempt):
    """Return a function that makes the merge of a plan, with a new attempt."""
    return lambda plan: GroupMerge(plan, TaskAttempt(storage, WriteToken(7)))


@pytest.fixture
def arriving(rows):
    """Return a function that makes a table of rows whose last values are arrival numbers."""

    def make(*values):
        table = rows(*(value[:-1] for value in values))
        return table.append_column(ARRIVAL, pa.array([value[-1] for value in values], pa.int64()))

    return make


def keys(table):
    return table["id"].combine_chunks()


def test_an_upsert_folds_the_rows_of_a_key(plan_of, merge, arriving):
    table = arriving(("a", "x", 2, "second", 1), ("a", "x", 2, "first", 0), ("b", "x", 1, "", 2))
    found = merge(plan_of()).records(table, keys(table))
    assert found.keys.to_pylist() == ["a", "b"]
    assert found.column("v").to_pylist() == ["second", ""]


def test_an_insert_keeps_every_row_in_order_of_arrival(plan_of, merge, arriving):
    table = arriving(("a", "x", 1, "third", 7), ("a", "x", 1, "first", 2), ("b", "x", 1, "second", 5))
    found = merge(plan_of(operation="insert")).records(table, keys(table))
    assert found.column("v").to_pylist() == ["first", "second", "third"]


def test_an_insert_that_combines_folds(plan_of, merge, arriving):
    table = arriving(("a", "x", 1, "old", 0), ("a", "x", 2, "new", 1))
    found = merge(plan_of(operation="insert", combine_before_insert=True)).records(table, keys(table))
    assert found.column("v").to_pylist() == ["new"]


@pytest.fixture
def stored(plan_of, merge, records):
    plan = plan_of()
    [status] = merge(plan).writer.create("x", records(plan, ("a", "x", 5, "a5"), ("b", "x", 5, "b5")), 2)
    return SliceRef(status.file_id, "20250101000000000", status.path, status.size)


def test_an_insert_leaves_stored_keys_out_or_refuses_them(plan_of, merge, records, stored):
    plan = plan_of(operation="insert", dup_policy="drop")
    newer = records(plan, ("a", "x", 9, ""), ("c", "x", 1, ""), ("b", "x", 9, ""))
    left, _ = merge(plan).without_stored("x", [stored], newer)
    assert left.keys.to_pylist() == ["c"]
    with pytest.raises(DataError, match="2 rows have keys that are stored already") as refused:
        merge(plan_of(operation="insert", dup_policy="fail")).without_stored("x", [stored], newer)
    assert refused.value.code == "duplicate_key"


def test_other_operations_leave_nothing_out(plan_of, merge, records, stored):
    for options in ({}, {"operation": "insert"}):
        plan = plan_of(**options)
        newer = records(plan, ("a", "x", 9, ""))
        assert merge(plan).without_stored("x", [stored], newer) == (newer, 0.0)


def test_dropped_rows_are_counted_as_ignored(plan_of, merge, records, stored):
    plan = plan_of(operation="insert", dup_policy="drop")
    newer = records(plan, ("a", "x", 9, ""), ("c", "x", 1, ""))
    status = merge(plan).write_slice("x", stored, newer, 2)
    assert (status.inserted, status.ignored, status.incoming) == (1, 1, 2)


@pytest.mark.parametrize(
    ("options", "fills", "logs", "log"),
    [
        ({}, False, (), True),
        ({}, True, (), False),
        ({"operation": "insert"}, False, (), False),
        ({"operation": "insert"}, False, (".l",), True),
        ({"table_type": "COPY_ON_WRITE"}, False, (), False),
    ],
)
def test_changes_go_to_logs_and_new_keys_to_base_files(plan_of, merge, records, stored, options, fills, logs, log):
    plan = plan_of(**{"table_type": "MERGE_ON_READ", **options})
    ref = SliceRef(stored.file_id, stored.instant, stored.path, stored.size, logs=logs)
    status = merge(plan).change_slice("x", ref, records(plan, ("z", "x", 9, "")), 1, fills=fills)
    assert (".log." in status.path) == log


def test_all_rows_are_taken_without_a_copy(rows):
    table = rows(("a", "x", 1, ""), ("b", "x", 1, ""))
    assert take_rows(table, keys(table), np.array([0, 1]))[0] is table
    some, some_keys = take_rows(table, keys(table), np.array([1]))
    assert some["id"].to_pylist() == some_keys.to_pylist() == ["b"]


def test_the_slice_of_a_slot(plan_of, merge, stored):
    found = merge(plan_of({"x": {3: stored}}))
    assert found.slice_of("x", 3) == stored
    assert found.slice_of("x", 4) is None
    assert found.slice_of("y", 3) is None
