"""Writes with a bucket index."""

from __future__ import annotations

import pyarrow as pa
from attrs import evolve

import hoodoo
from hoodoo.testing.engine import write_arrow
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.stages.stage_tasks import stages_of

# the hash of a list of "a" is 31 + 97 and that of "b" 31 + 98, so that they are in buckets 0 and 1 of 2
BUCKET_OPTIONS = {"index": "bucket", "buckets": 2}
OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts", **BUCKET_OPTIONS}


def test_the_hash_of_a_key_is_its_bucket(plan_of, written):
    statuses = written(plan_of(**BUCKET_OPTIONS), ("a", "x", 1, ""), ("b", "x", 1, ""), ("c", "x", 1, ""))
    assert {status.file_id[:8]: status.inserted for status in statuses} == {"00000000": 2, "00000001": 1}


def test_rows_of_one_bucket_have_one_route(plan_of):
    stages = stages_of(plan_of(**BUCKET_OPTIONS))
    routes = stages.routes(pa.array(["x", "x", "x", "y"]), pa.array(["a", "c", "b", "a"])).tolist()
    assert routes[0] == routes[1]
    assert len(set(routes)) == 3


def test_a_stored_bucket_is_rewritten(storage, rows, plan_of, written):
    write_arrow(rows(("a", "x", 1, "1"), ("b", "x", 1, "1")), storage.uri, OPTIONS)
    slices = {"x": {int(s.file_id[:8]): SliceRef.of(s) for s in hoodoo.Table(storage.uri).file_slices()}}
    [status] = written(plan_of(slices, **BUCKET_OPTIONS), ("a", "x", 2, "2"), ("c", "x", 1, ""))
    assert status.file_id == slices["x"][0].file_id
    assert (status.updated, status.inserted) == (1, 1)


def test_a_bucket_of_which_nothing_is_left_leaves_a_status(plan_of, rows, written):
    plan = plan_of(**BUCKET_OPTIONS)
    plan = evolve(plan, operation=evolve(plan.operation, name="delete"))
    [status] = written(plan, ("a", "x", 1, ""))
    assert (status.path, status.ignored, status.incoming) == ("", 1, 1)
