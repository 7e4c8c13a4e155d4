"""Slots of new keys: small files are filled first, then new files are begun."""

from __future__ import annotations

from collections import Counter
from hashlib import md5

import pyarrow as pa
import pytest

from hoodoo.writing.routing.shuffle_route import NEW_SLOT
from hoodoo.writing.routing.small_files import Packing, record_size
from hoodoo.writing.routing.task_plan import Distribution, SliceRef

SIZES = {"max_file_size": 1000, "small_file_limit": 600}
KEYS = pa.array([md5(str(number).encode(), usedforsecurity=False).hexdigest() for number in range(10_000)])


def ref(size, *logs):
    return SliceRef(f"f{size}", "1", f"f{size}.parquet", size, logs=logs)


def packed(plan, count, share=1):
    return Counter(Packing(plan, share).slots("x", KEYS.slice(0, count), 10).tolist())


def test_files_below_the_limit_take_what_fits_smallest_first(plan_of):
    plan = plan_of({"x": {0: ref(599), 1: ref(600), 2: ref(100)}}, **SIZES)
    assert Packing(plan).capacities("x", 10) == [(2, 90), (0, 40)]
    assert Packing(plan).capacities("y", 10) == []


def test_records_too_large_for_the_room_begin_a_new_file(plan_of):
    plan = plan_of({"x": {0: ref(599)}}, **SIZES)
    assert Packing(plan).capacities("x", 402) == []


def test_slices_with_logs_are_not_filled_up(plan_of):
    slices = {"x": {0: ref(100, ".f.log"), 1: ref(200)}}
    assert Packing(plan_of(slices, table_type="MERGE_ON_READ", **SIZES)).capacities("x", 10) == [(1, 80)]


def test_keys_are_spread_over_small_and_new_files_by_their_room(plan_of):
    # 10,000 records of 10 bytes: 90 and 40 fill up small files, 9,870 make 99 new files of at most 100
    found = packed(plan_of({"x": {0: ref(599), 2: ref(100)}}, **SIZES), 10_000)
    assert set(found) == {0, 2, *range(NEW_SLOT, NEW_SLOT + 99)}
    assert found[2] == pytest.approx(90, abs=35)
    assert found[0] == pytest.approx(40, abs=25)


def test_few_keys_make_one_new_file(plan_of):
    assert packed(plan_of(**SIZES), 100) == {NEW_SLOT: 100}
    assert packed(plan_of(**SIZES), 0) == {}


def test_a_task_that_shares_a_partition_estimates_the_whole(plan_of):
    assert len(packed(plan_of(**SIZES), 100, share=8)) == 8


def test_a_key_keeps_its_slot(plan_of):
    packing = Packing(plan_of(**SIZES))
    first = packing.slots("x", KEYS.slice(0, 500), 10)
    assert packing.slots("x", KEYS.slice(100, 50), 10).tolist() == first[100:150].tolist()


def test_the_size_of_a_record_is_that_of_the_last_commits_or_a_third_in_memory(plan_of):
    rows = pa.table({"a": pa.array([1, 2, 3], pa.int64())})
    assert record_size(plan_of(distribution=Distribution(1, record_size=77)), rows) == 77
    assert record_size(plan_of(), rows) == 2  # 24 bytes of 3 rows are 8 each
    assert record_size(plan_of(), rows.slice(0, 0)) == 1
