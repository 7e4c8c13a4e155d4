"""Rows of a batch with a global index: the partition, the effect and the slot of each row."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.testing.engine import write_arrow
from hoodoo.writing.routing.global_route import GlobalLookup
from hoodoo.writing.routing.partition_moves import COUNT, EFFECT, INSERT, MERGE, MERGED_ROW, PARTITION, REMOVE
from hoodoo.writing.routing.shuffle_route import NEW_SLOT, PACKED
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.tasks.incoming_rows import ARRIVAL, ROUTE, SLOT

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts", "index": "global-simple"}


@pytest.fixture
def found(storage, rows, plan_of):
    """Return a function that writes stored rows, and looks up incoming ones.

    It returns (key, partition, effect, counted, merged value, slot) of each routed row.
    """

    def look_up(stored, incoming, **options):
        write_arrow(rows(*stored), storage.uri, OPTIONS)
        files = sorted(info.path for info in storage.walk() if info.path.endswith(".parquet"))
        slices = {path.partition("/")[0]: {0: SliceRef(path[2:10], "1", path, 1)} for path in files}
        table = rows(*incoming).append_column(ARRIVAL, pa.array(range(len(incoming)), pa.int64()))
        table = table.append_column(ROUTE, pa.array([0] * len(incoming), pa.int64()))
        plan = plan_of(slices, index="global-simple", **options)
        [routed] = GlobalLookup(plan, {})(table.to_batches())
        return [
            (row["id"], row[PARTITION], row[EFFECT], row[COUNT], row[MERGED_ROW] and row[MERGED_ROW]["v"], row[SLOT])
            for row in routed.to_pylist()
        ]

    return look_up


def test_a_new_key_goes_to_a_new_file_of_its_partition(found):
    assert found([("a", "x", 1, "old")], [("b", "y", 1, "")]) == [("b", "y", MERGE, 1, None, NEW_SLOT | PACKED)]


def test_a_stored_key_goes_to_its_file_group(found):
    assert found([("a", "x", 1, "old")], [("a", "x", 2, "new")]) == [("a", "x", MERGE, 1, None, 0)]


def test_a_row_that_moves_leaves_one_partition_and_arrives_merged_in_another(found):
    orders = found([("a", "x", 1, "old")], [("a", "y", 2, "new")])
    assert sorted(orders, key=lambda order: order[2]) == [
        ("a", "x", REMOVE, 0, None, 0),
        ("a", "y", INSERT, 1, "new", NEW_SLOT | PACKED),
    ]


def test_a_late_row_is_merged_where_the_stored_one_is(found):
    assert found([("a", "x", 5, "old")], [("a", "y", 2, "new")]) == [("a", "x", MERGE, 1, None, 0)]


def test_rows_do_not_move_where_the_option_forbids_it(found):
    orders = found([("a", "x", 1, "old")], [("a", "y", 2, "new")], update_partition=False)
    assert orders == [("a", "x", MERGE, 1, None, 0)]


def test_all_rows_of_a_key_come_along_and_each_is_counted_once(found):
    orders = found([("a", "x", 1, "old")], [("a", "x", 2, "new"), ("b", "x", 1, ""), ("a", "x", 3, "newer")])
    assert [(order[0], order[2]) for order in orders] == [("a", MERGE), ("a", MERGE), ("b", MERGE)]
    assert sum(order[3] for order in orders) == 3


def test_an_insert_that_drops_stored_keys_finds_them_anywhere(found):
    orders = found([("a", "x", 1, "old")], [("a", "y", 2, "new")], operation="insert", dup_policy="drop")
    assert orders == [("a", "x", MERGE, 1, None, 0)]
