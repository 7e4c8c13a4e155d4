"""The plan of a write as text, and the stages that it selects."""

from __future__ import annotations

import pyarrow as pa
import pytest
from attrs import evolve

from hoodoo.format.bloom import BloomShape
from hoodoo.index.base import BloomIndex, BucketIndex, GlobalBloomIndex, GlobalSimpleIndex, SimpleIndex
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.options import FileOptions
from hoodoo.plugin.catalog.plugin_spec import PluginSpec, ShippedPlugin
from hoodoo.record import DeleteContext, KeyConfig, MergerConfig
from hoodoo.writing.routing.task_plan import Distribution, SliceRef, TaskPlan
from hoodoo.writing.stages.bucket_stages import BucketStages
from hoodoo.writing.stages.global_stages import GlobalStages
from hoodoo.writing.stages.partition_stages import BulkInsertStages, DeletePartitionStages, PartitionStages
from hoodoo.writing.stages.shared_partition_stages import SharedPartitionStages
from hoodoo.writing.stages.stage_tasks import stages_of
from hoodoo.writing.write_spec import FileSpec, KeySpec, OperationSpec, TableSpec

SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("t", pa.timestamp("us", "UTC"))])
USED = ShippedPlugin("aggregate", "sum", "1.0", "hoodoo-aggregate-sum")

PLAN = TaskPlan(
    table=TableSpec("file:///t", "t", SCHEMA, True, 2, {"s3_region": "x"}),
    keys=KeySpec(
        PluginSpec("keygen", "complex", "1.0", "hoodoo-keygen-complex", {"a": [1, {"b": None}]}, "digest"),
        KeyConfig(("id",), ("p:simple",), hive_style=True, instant="20260101000000000", seed="0f"),
        may_collide=True,
    ),
    rule=RuleSpec(
        "merger",
        PluginSpec("merger", "aggregate", "2.0", "hoodoo-merger-aggregate", {}, "digest", (USED,)),
        (PluginSpec("delete", "any-of", "1.0", "hoodoo-delete-any-of", {}, "digest"),),
        MergerConfig(("id",), ("p",), ("t",), DeleteContext("op", "D"), "1.1", {"x": 1.5}),
        ("t",),
    ),
    index=GlobalBloomIndex(moves_rows=False),
    operation=OperationSpec("insert", True, "drop"),
    files=FileSpec(FileOptions(max_file_size=1, log_format="avro"), BloomShape(10, 0.1, "SIMPLE", 20), "t"),
    instant="20260101000000000",
    slices={"p=1": {3: SliceRef("f", "1", "p=1/f.parquet", 9, "2", 4, ("a", "b"), {"a": frozenset({"1", "2"})})}},
    distribution=Distribution(4, 2, True, 100),
)


def test_a_plan_comes_back_from_text():
    plan = TaskPlan.from_json(PLAN.to_json())
    assert plan == PLAN
    assert plan.table.schema.equals(SCHEMA, check_metadata=True)
    assert plan.table.avro_schema == PLAN.table.avro_schema


def test_secrets_of_the_store_are_not_shown():
    assert "s3_region" not in repr(PLAN)


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
def test_index_and_operation_select_the_stages(index, operation, shares, stages):
    plan = evolve(PLAN, index=index, operation=operation, distribution=Distribution(2, shares_partitions=shares))
    assert type(stages_of(plan)) is stages


@pytest.mark.parametrize("index", [SimpleIndex(), GlobalSimpleIndex(), BucketIndex(2)])
def test_one_stage_looks_keys_up_or_none(index):
    plan = evolve(PLAN, index=index, operation=OperationSpec("upsert"), distribution=Distribution(2))
    stages = stages_of(plan)
    assert stages.looks_up_first == bool(stages.lookup_fields())
    if not stages.looks_up_first:
        with pytest.raises(NotImplementedError, match=type(stages).__name__):
            stages.look_up([], {})
