"""Different values under one record key or partition path."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.errors import DataError
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.tasks.file_group_writer import GroupWriter
from hoodoo.writing.tasks.key_collisions import Collisions, check_origins

# with record key columns `id` and `v`, both are written `id:a,v:b,v:c`
FIRST, SECOND = ("a,v:b", "x", 1, "c"), ("a", "x", 1, "b,v:c")
KEY = "id:a,v:b,v:c"
COMPLEX = {"record_key": "id,v", "keygen": "complex"}
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def test_rows_of_one_batch_are_compared(plan_of, rows):
    collisions = Collisions(plan_of(**COMPLEX))
    table = rows(("z", "x", 1, "z"), FIRST, SECOND)
    with pytest.raises(DataError, match="id='a,v:b', v='c' and id='a', v='b,v:c' have 'id:a,v:b,v:c'") as refused:
        collisions.check_batch(table, pa.array(["id:z,v:z", KEY, KEY]))
    assert refused.value.code == "key_collision"
    assert "in 1 case: " in str(refused.value)


def test_equal_values_may_repeat(plan_of, rows):
    Collisions(plan_of(**COMPLEX)).check_batch(rows(FIRST, FIRST), pa.array([KEY, KEY]))


def test_the_option_allows_collisions(plan_of, rows):
    plan = plan_of(**COMPLEX, allow_key_collisions=True)
    Collisions(plan).check_batch(rows(FIRST, SECOND), pa.array([KEY, KEY]))


def test_values_of_one_partition_path_are_compared(plan_of, rows):
    collisions = Collisions(plan_of())
    with pytest.raises(DataError, match=f"p=null and p='{NO_VALUE}' have") as refused:
        collisions.origin(NO_VALUE, rows(("a", None, 1, ""), ("b", NO_VALUE, 1, "")))
    assert refused.value.code == "path_collision"


def test_the_origin_of_a_path_is_compared_between_tasks(plan_of, rows):
    collisions = Collisions(plan_of())
    plain = collisions.origin("x", rows(("a", "x", 1, "")))
    assert plain == (None, "p='x'")
    null = collisions.origin(NO_VALUE, rows(("a", None, 1, "")))
    text = collisions.origin(NO_VALUE, rows(("b", NO_VALUE, 1, "")))
    assert null != text

    def status(origin):
        made = FileStatus.nothing_written(NO_VALUE, 1).to_json().replace('"origin": null', f'"origin": {origin}')
        return FileStatus.from_json(made)

    check_origins([status(json.dumps(null)), status("null"), status(json.dumps(null))])
    with pytest.raises(DataError, match="p=null") as refused:
        check_origins([status(json.dumps(null)), status(json.dumps(text))])
    assert refused.value.code == "path_collision"


def test_paths_need_no_comparison_without_partition_columns(plan_of, rows):
    plan = plan_of(partition_by=None, keygen="non-partitioned")
    assert Collisions(plan).origin("", rows(("a", "x", 1, ""))) is None


@pytest.fixture
def stored(attempt, plan_of, records):
    """Return a plan, and a stored slice with a row of the values `FIRST`."""
    plan = plan_of(**COMPLEX)
    rule = plan.rule.make_rule()
    source = records(plan, FIRST).source
    table = source.table
    newer = rule.incoming(table, plan.table.schema, pa.array([KEY]), np.zeros(1, bool)).records()
    [status] = GroupWriter(plan, rule, attempt).create("x", newer, 1)
    return plan, SliceRef(status.file_id, "20250101000000000", status.path, status.size)


@pytest.mark.parametrize(("incoming", "collides"), [(FIRST, False), (SECOND, True)])
def test_records_are_compared_with_stored_rows(storage, stored, rows, incoming, collides):
    plan, ref = stored
    table = rows(incoming)
    newer = plan.rule.make_rule().incoming(table, plan.table.schema, pa.array([KEY]), np.zeros(1, bool)).records()
    if not collides:
        Collisions(plan).check_unread(storage, "x", ref, newer)
        return
    with pytest.raises(DataError, match=r"id='a', v='b,v:c' in a row, and id='a,v:b', v='c' in the table") as refused:
        Collisions(plan).check_unread(storage, "x", ref, newer)
    assert refused.value.code == "key_collision"


def test_ordinary_records_read_no_stored_rows(storage, plan_of, records):
    plan = plan_of(**COMPLEX)
    missing = SliceRef("f", "1", "x/missing.parquet", 1)
    Collisions(plan).check_unread(storage, "x", missing, records(plan, ("a", "x", 1, "b")))
