"""Logs whose keys a look-up found, in a base file or in the record index."""

from __future__ import annotations

import pytest
from attrs import evolve

from hoodoo.filegroup.located_log import LocatedLog
from hoodoo.index.index_types import GlobalSimpleIndex, RecordIndex, SimpleIndex
from hoodoo.metadata_table.instants import KnownInstants
from hoodoo.metadata_table.record_shards import RecordShards
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.located_logs import located_logs
from hoodoo.writing.routing.task_plan import SliceRef

from .test_task_plan import PLAN

SHARDS = RecordShards((), KnownInstants(2, frozenset(), None, frozenset(), None))
SLICES = {"p": {0: SliceRef("f", "1", "p/f_0-0-0_1.parquet", 9), 1: SliceRef("g", "1", "", 0, logs=("a",))}}


def log(file_id, deletes, located=True):
    path = f"p/.{file_id}_2.log.1_0-0-0"
    return FileStatus("p", file_id, path, "1", 1, 0, 1, 0, 0, 1, 9, 0.0, located=located, deletes=deletes)


@pytest.mark.parametrize("index", [SimpleIndex(), GlobalSimpleIndex(), RecordIndex()])
def test_keys_that_a_base_file_has(index):
    plan = evolve(PLAN, index=index, slices=SLICES)
    statuses = [log("f", deletes=True), log("g", deletes=False), log("h", deletes=False)]
    assert located_logs(plan, statuses) == {"p/.f_2.log.1_0-0-0": LocatedLog("f_0-0-0_1.parquet", True)}


def test_keys_that_the_record_index_has():
    plan = evolve(PLAN, index=RecordIndex(shards=SHARDS), slices=SLICES)
    statuses = [log("f", deletes=False), log("g", deletes=True)]
    assert located_logs(plan, statuses) == {
        "p/.f_2.log.1_0-0-0": LocatedLog(None, False),
        "p/.g_2.log.1_0-0-0": LocatedLog(None, True),
    }


def test_logs_with_other_keys():
    plan = evolve(PLAN, index=SimpleIndex(), slices=SLICES)
    assert located_logs(plan, [log("f", deletes=False, located=False)]) == {}
