"""The plan of a write as text, and the stages that it selects."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.format.bloom import BloomShape
from hoodoo.index.index_types import GlobalBloomIndex
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.options import FileOptions
from hoodoo.plugin.installed.plugin_spec import PluginSpec, ShippedPlugin
from hoodoo.reading.path_columns import PathColumns
from hoodoo.record import DeleteContext, KeyConfig, MergerConfig
from hoodoo.writing.routing.task_plan import Distribution, SliceRef, TaskPlan
from hoodoo.writing.write_spec import FileSpec, KeySpec, OperationSpec, TableSpec

SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("t", pa.timestamp("us", "UTC"))])
USED = ShippedPlugin("aggregate", "sum", "1.0", "hoodoo-aggregate-sum")

PLAN = TaskPlan(
    table=TableSpec(
        "file:///t", "t", SCHEMA, True, 2, {"s3_region": "x"}, False, PathColumns("t", ("p",), hive_style=True)
    ),
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
