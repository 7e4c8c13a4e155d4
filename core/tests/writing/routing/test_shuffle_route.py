"""Routes of file groups: bins of balanced bytes, and ordinals within them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.writing.routing.shuffle_route import NEW_SLOT, Router, bin_of, ordinal_of, pack_bins, pack_route
from hoodoo.writing.routing.task_plan import Distribution, SliceRef


def ref(size):
    return SliceRef(f"f{size}", "1", f"f{size}.parquet", size)


@pytest.fixture
def plan(plan_of):
    return plan_of({"x": {0: ref(10), 1: ref(70)}, "y": {0: ref(30), 1: ref(20)}}, Distribution(2))


def test_the_heaviest_goes_first_into_the_lightest_bin():
    # 70 | 30, then 20 to the second bin (50), then 10 to it (60)
    assert pack_bins([10, 70, 30, 20], 2) == [1, 0, 1, 1]
    assert pack_bins([5, 5, 5, 5], 2) == [0, 1, 0, 1]


def test_empty_files_are_spread_as_well():
    assert sorted(pack_bins([0, 0, 0, 0], 2)) == [0, 0, 1, 1]


def test_bin_and_ordinal_come_back_from_a_route():
    bins, ordinals = np.array([0, 3, 7], np.int64), np.array([0, 1, 0xFFFFFFFF], np.int64)
    routes = pack_route(bins, ordinals)
    assert bin_of(routes).tolist() == [0, 3, 7]
    assert ordinal_of(routes).tolist() == [0, 1, 0xFFFFFFFF]
    assert pack_route(2, 5) == (2 << 32) + 5
    assert (np.diff(routes) > 0).all(), "routes are sorted by bin first"


def test_each_stored_file_group_has_a_route_of_its_own(plan):
    router = Router.of_groups(plan)
    found = [router.route(*group) for group in (("x", 0), ("x", 1), ("y", 0), ("y", 1))]
    assert [bin_of(route) for route in found] == [1, 0, 1, 1]
    assert [ordinal_of(route) for route in found] == [0, 1, 2, 3]


def test_partitions_weigh_what_their_files_do(plan):
    router = Router.of_partitions(plan)
    assert router.known == {("x", 0): (0, 0), ("y", 0): (1, 1)}


def test_unknown_groups_come_behind_the_known_ones_and_have_one_bin_each(plan):
    router = Router.of_groups(plan)
    for slot in range(NEW_SLOT, NEW_SLOT + 50):
        route = router.route("z", slot)
        assert ordinal_of(route) >= len(router.known)
        assert bin_of(route) in (0, 1)
        assert router.route("z", slot) == route
    assert {bin_of(router.route("z", NEW_SLOT + n)) for n in range(50)} == {0, 1}


def test_rows_get_the_routes_of_their_groups(plan):
    router = Router.of_groups(plan)
    partitions, slots = pa.array(["y", "x", "y", "new"]), np.array([1, 0, 1, 3], np.int32)
    expected = [router.route(*group) for group in (("y", 1), ("x", 0), ("y", 1), ("new", 3))]
    assert router.routes(partitions, slots).tolist() == expected
    assert router.routes(pa.array([], pa.string()), np.empty(0, np.int32)).tolist() == []
