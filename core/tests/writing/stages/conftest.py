"""A table that is written by the stages of one write."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.writing.data_files.task_attempt import WriteToken
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.stages.stage_tasks import MergeTask, RouteTask
from hoodoo.writing.tasks.incoming_rows import ARRIVAL, ROUTE


@pytest.fixture
def slices_at(storage):
    """Return a function that returns the stored slices of a table, by partition and slot, in the order of file ids."""

    def find():
        found = {}
        for file_slice in sorted(hoodoo.Table(storage.uri).file_slices(), key=lambda s: s.file_id):
            slots = found.setdefault(file_slice.partition, {})
            slots[len(slots)] = SliceRef.of(file_slice)
        return found

    return find


@pytest.fixture
def numbered(rows):
    """Return a function that makes a table of rows with arrival numbers."""

    def make(*values):
        return rows(*values).append_column(ARRIVAL, pa.array(range(len(values)), pa.int64()))

    return make


@pytest.fixture
def written(attempt, numbered):
    """Return a function that routes and merges rows in one task of a plan without a look-up stage.

    It returns the statuses of the written files.
    """

    def run(plan, *values):
        table = numbered(*values)
        [routes] = RouteTask(plan)([table])
        table = table.append_column(ROUTE, pa.array(routes)).sort_by(ROUTE)
        return list(MergeTask(plan, WriteToken(7))(table.to_batches()))

    return run
