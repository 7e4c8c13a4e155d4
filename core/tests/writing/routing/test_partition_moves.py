"""Moves between partitions, as rows carry them."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.writing.routing.partition_moves import (
    COUNT,
    EFFECT,
    INSERT,
    MERGE,
    MERGED_ROW,
    PARTITION,
    REMOVE,
    Moves,
    merged_type,
    move_fields,
)

SCHEMA = pa.schema([pa.field("id", pa.string(), nullable=False), ("p", pa.string()), ("ts", pa.int64())])


def carried(*entries):
    effects, merged = zip(*entries, strict=True)
    return pa.table({EFFECT: pa.array(effects, pa.int32()), MERGED_ROW: pa.array(merged, merged_type(SCHEMA))})


def test_rows_without_moves_have_none(plan_of):
    plan = plan_of(schema=SCHEMA)
    rows = carried((MERGE, None), (MERGE, None))
    assert Moves.of(plan, plan.rule.make_rule(), rows, pa.array(["a", "b"])) is None


def test_keys_leave_and_merged_rows_arrive(plan_of):
    plan = plan_of(schema=SCHEMA)
    rows = carried(
        (MERGE, None), (REMOVE, None), (INSERT, {"id": "c", "p": "x", "ts": 3}), (INSERT, {"id": "d", "p": "x"})
    )
    moved = Moves.of(plan, plan.rule.make_rule(), rows, pa.array(["a", "b", "c", "d"]))
    assert moved.leaving.to_pylist() == ["b"]
    assert moved.arriving.keys.to_pylist() == ["c", "d"]
    assert moved.arriving.column("ts").to_pylist() == [3, None]
    assert not moved.arriving.is_delete.any()
    assert Moves.others(rows).tolist() == [0]


def test_a_merged_row_has_the_columns_of_the_table_all_nullable():
    assert merged_type(SCHEMA).field("id").nullable
    assert [field.name for field in merged_type(SCHEMA)] == SCHEMA.names


def test_the_columns_of_moves_have_an_order():
    assert [field.name for field in move_fields(SCHEMA)] == [PARTITION, EFFECT, COUNT, MERGED_ROW]
