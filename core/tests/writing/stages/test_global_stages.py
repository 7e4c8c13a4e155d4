"""Writes with a global index."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.testing.engine import write_arrow
from hoodoo.writing.data_files.task_attempt import WriteToken
from hoodoo.writing.routing.shuffle_route import bin_of, ordinal_of
from hoodoo.writing.routing.task_plan import Distribution
from hoodoo.writing.stages.global_stages import GlobalStages
from hoodoo.writing.stages.stage_tasks import LookupTask, MergeTask, stages_of
from hoodoo.writing.tasks.incoming_rows import ROUTE, SLOT

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts", "index": "global-simple"}


def test_rows_of_a_key_meet_in_one_task_whatever_their_partition(plan_of):
    stages = stages_of(plan_of(index="global-simple", distribution=Distribution(2, searchers=3)))
    assert isinstance(stages, GlobalStages)
    routes = stages.routes(pa.array(["x", "y", "x"]), pa.array(["a", "a", "b"]))
    assert routes[0] == routes[1] != routes[2]
    assert ordinal_of(routes).tolist() == [0, 0, 0]
    assert set(bin_of(routes).tolist()) <= {0, 1, 2}


def test_a_row_that_moves_is_written_to_its_new_partition_and_removed_from_the_old_one(
    storage, rows, plan_of, slices_at, numbered, attempt
):
    write_arrow(rows(("a", "x", 1, "1"), ("b", "x", 1, "1")), storage.uri, OPTIONS)
    plan = plan_of(slices_at(), index="global-simple")
    table = numbered(("a", "y", 2, "2"), ("c", "x", 1, "")).append_column(ROUTE, pa.array([0, 0], pa.int64()))
    found = pa.concat_tables(LookupTask(plan)(table.to_batches())).sort_by(ROUTE)
    statuses = {status.partition: status for status in MergeTask(plan, WriteToken(7))(found.to_batches())}
    assert (statuses["x"].deleted, statuses["x"].inserted, statuses["x"].rows) == (1, 1, 2)
    assert (statuses["y"].inserted, statuses["y"].rows) == (1, 1)
    assert sum(status.incoming for status in statuses.values()) == 2


def test_the_look_up_adds_a_slot_and_the_columns_of_moves(plan_of):
    fields = stages_of(plan_of(index="global-simple")).lookup_fields()
    assert fields[0] == pa.field(SLOT, pa.int32())
    assert len(fields) == 5
