"""Writes of few partitions, which several tasks share."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.testing.engine import write_arrow
from hoodoo.writing.data_files.task_attempt import WriteToken
from hoodoo.writing.routing.shuffle_route import NEW_SLOT, PACKED, bin_of, ordinal_of
from hoodoo.writing.routing.task_plan import Distribution
from hoodoo.writing.stages.shared_partition_stages import SharedPartitionStages, slots_of
from hoodoo.writing.stages.stage_tasks import LookupTask, MergeTask, stages_of
from hoodoo.writing.tasks.incoming_rows import ROUTE, SLOT

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts", "small_file_limit": 0}
SHARED = Distribution(4, shares_partitions=True)


@pytest.fixture
def looked_up(numbered):
    def run(plan, *values):
        table = numbered(*values).append_column(ROUTE, pa.array([0] * len(values), pa.int64()))
        return pa.concat_tables(LookupTask(plan)(table.to_batches()))

    return run


def test_keys_spread_a_partition_over_the_tasks(plan_of):
    stages = stages_of(plan_of(distribution=SHARED))
    assert isinstance(stages, SharedPartitionStages)
    keys = [f"key {number * 7919}" for number in range(100)]
    routes = stages.routes(pa.array(["x"] * 100), pa.array(keys))
    assert set(bin_of(routes).tolist()) == {0, 1, 2, 3}
    assert len(set(ordinal_of(routes).tolist())) == 1


def test_stored_keys_get_the_slot_of_their_file_and_new_ones_a_new_one(storage, rows, plan_of, slices_at, looked_up):
    write_arrow(rows(("a", "x", 1, "1"), ("b", "x", 1, "1")), storage.uri, OPTIONS)
    found = looked_up(plan_of(slices_at(), SHARED, small_file_limit=0), ("c", "x", 1, ""), ("b", "x", 2, ""))
    assert dict(zip(found["id"].to_pylist(), found[SLOT].to_pylist(), strict=True)) == {"b": 0, "c": NEW_SLOT | PACKED}


def test_a_key_that_is_stored_twice_comes_twice(storage, rows, plan_of, slices_at, looked_up):
    for _ in range(2):
        write_arrow(rows(("a", "x", 1, "1")), storage.uri, {**OPTIONS, "operation": "insert"})
    found = looked_up(plan_of(slices_at(), SHARED, small_file_limit=0), ("a", "x", 2, ""))
    assert found["id"].to_pylist() == ["a", "a"]
    assert sorted(found[SLOT].to_pylist()) == [0, 1]


def test_an_insert_looks_nothing_up(storage, rows, plan_of, slices_at, looked_up):
    write_arrow(rows(("a", "x", 1, "1")), storage.uri, OPTIONS)
    found = looked_up(plan_of(slices_at(), SHARED, small_file_limit=0, operation="insert"), ("a", "x", 2, ""))
    assert found[SLOT].to_pylist() == [NEW_SLOT | PACKED]


def test_slots_are_written_one_by_one(storage, rows, plan_of, slices_at, looked_up, attempt):
    write_arrow(rows(("a", "x", 1, "1"), ("b", "x", 1, "1")), storage.uri, OPTIONS)
    plan = plan_of(slices_at(), SHARED, small_file_limit=0)
    found = looked_up(plan, ("c", "x", 1, ""), ("b", "x", 2, ""), ("d", "x", 1, "")).sort_by(ROUTE)
    statuses = list(MergeTask(plan, WriteToken(7))(found.to_batches()))
    assert sorted((status.inserted, status.updated) for status in statuses) == [(0, 1), (2, 0)]


def test_slots_of_rows_and_whether_new_keys_fill_them():
    rows = pa.table({SLOT: pa.array([3, 5 | PACKED, 3, 5], pa.int32())})
    found = [(slot, positions.tolist(), fills) for slot, positions, fills in slots_of(rows)]
    assert found == [(3, [0, 2], False), (5, [1, 3], True)]


def test_the_look_up_adds_a_slot(plan_of):
    assert stages_of(plan_of(distribution=SHARED)).lookup_fields() == [pa.field(SLOT, pa.int32())]
