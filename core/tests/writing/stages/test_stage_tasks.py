"""The tasks of a write."""

from __future__ import annotations

import pyarrow as pa
import pytest
from attrs import evolve

from hoodoo.errors import DataError
from hoodoo.index.index_types import BloomIndex, BucketIndex, GlobalSimpleIndex, SimpleIndex
from hoodoo.writing.data_files.task_attempt import WriteToken
from hoodoo.writing.routing.task_plan import Distribution
from hoodoo.writing.stages.bucket_stages import BucketStages
from hoodoo.writing.stages.global_stages import GlobalStages
from hoodoo.writing.stages.partition_stages import BulkInsertStages, DeletePartitionStages, PartitionStages
from hoodoo.writing.stages.shared_partition_stages import SharedPartitionStages
from hoodoo.writing.stages.stage_tasks import LookupTask, MergeTask, RouteTask, stages_of
from hoodoo.writing.tasks.incoming_rows import ROUTE
from hoodoo.writing.write_spec import OperationSpec


@pytest.mark.parametrize(
    ("index", "operation", "shares", "stages"),
    [
        (SimpleIndex(), OperationSpec("upsert"), False, PartitionStages),
        (BloomIndex(), OperationSpec("upsert"), True, SharedPartitionStages),
        (SimpleIndex(), OperationSpec("bulk_insert"), False, BulkInsertStages),
        (BucketIndex(2), OperationSpec("upsert"), True, BucketStages),
        (BucketIndex(2), OperationSpec("bulk_insert"), False, BucketStages),
        (GlobalSimpleIndex(), OperationSpec("upsert"), False, GlobalStages),
        (GlobalSimpleIndex(), OperationSpec("insert", dup_policy="drop"), False, GlobalStages),
        (GlobalSimpleIndex(), OperationSpec("insert", combines=True), False, GlobalStages),
        (GlobalSimpleIndex(), OperationSpec("insert"), False, PartitionStages),
        (GlobalSimpleIndex(), OperationSpec("insert"), True, SharedPartitionStages),
        (GlobalSimpleIndex(), OperationSpec("bulk_insert"), False, BulkInsertStages),
        (SimpleIndex(), OperationSpec("delete_partition"), False, DeletePartitionStages),
    ],
)
def test_index_and_operation_select_the_stages(plan_of, index, operation, shares, stages):
    plan = evolve(plan_of(), index=index, operation=operation, distribution=Distribution(2, shares_partitions=shares))
    assert type(stages_of(plan)) is stages


@pytest.mark.parametrize("index", [SimpleIndex(), GlobalSimpleIndex(), BucketIndex(2)])
def test_one_stage_looks_keys_up_or_none(plan_of, index):
    plan = evolve(plan_of(), index=index, operation=OperationSpec("upsert"), distribution=Distribution(2))
    stages = stages_of(plan)
    assert stages.looks_up_first == bool(stages.lookup_fields())
    if not stages.looks_up_first:
        with pytest.raises(NotImplementedError, match=type(stages).__name__):
            stages.look_up([], {})


def test_a_row_is_routed_by_its_key_columns_alone(plan_of, rows):
    plan = plan_of()
    [routes] = RouteTask(plan)([rows(("a", "x", 1, ""), ("b", "y", 1, "")).select(["p", "id"])])
    assert routes.tolist() == stages_of(plan).routes(pa.array(["x", "y"]), pa.array(["a", "b"])).tolist()


def test_bad_keys_are_refused_before_the_shuffle(plan_of, rows):
    with pytest.raises(DataError):
        list(RouteTask(plan_of())([rows((None, "x", 1, ""))]))
    with pytest.raises(DataError):
        list(RouteTask(plan_of())([rows(("a", "../x", 1, ""))]))


def test_the_origin_of_a_partition_comes_with_its_first_file(plan_of, numbered, attempt):
    plan = plan_of(max_file_size=1, distribution=Distribution(1, record_size=1))
    table = numbered(("a", "x", 1, ""), ("b", "x", 1, "")).append_column(ROUTE, pa.array([0, 0], pa.int64()))
    statuses = list(MergeTask(plan, WriteToken(7))(table.to_batches()))
    assert [status.origin for status in statuses] == [(None, "p='x'"), None]


def test_an_overflow_of_arrow_in_a_task_is_an_error_of_the_batch(plan_of, monkeypatch):
    def overflow(self, batches, splits):
        raise pa.ArrowInvalid("offset overflow")
        yield

    monkeypatch.setattr(GlobalStages, "look_up", overflow)
    with pytest.raises(DataError) as raised:
        list(LookupTask(plan_of(index="global-simple"))([]))
    assert raised.value.code == "too_large"
