"""Interface of the stages of a write."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.stages.write_stages import WriteStages


def ref(name):
    return SliceRef(name, "1", f"{name}.parquet", 1)


@pytest.fixture
def stages(plan_of):
    return WriteStages(plan_of({"x": {0: ref("f"), 1: ref("g")}, "y": {0: ref("h")}}))


def test_rows_are_routed_by_partition_whatever_their_keys(stages):
    routes = stages.routes(pa.array(["x", "y", "x"]), pa.array(["a", "a", "b"])).tolist()
    assert routes[0] == routes[2]
    assert routes[0] != routes[1]
    assert routes[1] == stages.partition_router.route("y", 0)


def test_partitions_and_groups_have_routers_of_their_own(stages):
    assert set(stages.partition_router.known) == {("x", 0), ("y", 0)}
    assert set(stages.group_router.known) == {("x", 0), ("x", 1), ("y", 0)}


def test_stages_without_a_look_up_raise(stages):
    assert stages.lookup_fields() == []
    with pytest.raises(NotImplementedError, match="WriteStages has no look-up stage"):
        stages.look_up([], {})
    with pytest.raises(NotImplementedError):
        stages.write(None, "x", None, None)
