"""Stored locations of incoming keys, and stored rows that move."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from attrs import frozen

from hoodoo.testing.engine import write_arrow
from hoodoo.writing.routing.key_locations import KeyLocations, LookupKeys, PathNames
from hoodoo.writing.routing.task_plan import SliceRef
from hoodoo.writing.tasks.stored_versions import MatchedKeys

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts"}


def numbers(*values):
    return np.array(values, np.int64)


def masked(*values):
    return np.array(values, bool)


def test_paths_are_numbered_in_their_order():
    names = PathNames()
    assert names.numbers(pa.array(["b", "a", "b"])).tolist() == [0, 1, 0]
    assert names.number("c") == 2
    assert names.number("a") == 1
    assert names.text(numbers(2, 0)).to_pylist() == ["c", "b"]


def test_keys_are_found_in_every_partition(storage, plan_of, rows):
    write_arrow(rows(("a", "x", 1, ""), ("b", "y", 1, ""), ("c", "y", 1, "")), storage.uri, OPTIONS)
    files = {info.path.partition("/")[0]: info.path for info in storage.walk() if info.path.endswith(".parquet")}
    slices = {partition: {3: SliceRef("f", "1", path, 1)} for partition, path in sorted(files.items())}
    names = PathNames()
    found = KeyLocations.find(plan_of(slices, index="global-simple"), storage, pa.array(["c", "z", "a"]), names)
    assert names.names == ["x", "y"]
    assert found.record.tolist() == [2, 0]
    assert found.partition.tolist() == [0, 1]
    assert found.slot.tolist() == [3, 3]
    assert found.place.tolist() == [0, 1]


def test_nothing_is_looked_up_for_an_operation_that_does_not_need_it(storage, plan_of):
    slices = {"x": {0: SliceRef("f", "1", "missing.parquet", 1)}}
    plan = plan_of(slices, index="global-simple", operation="insert")
    assert len(KeyLocations.find(plan, storage, pa.array(["a"]), PathNames()).record) == 0


@frozen(eq=False)
class Answers:
    """Stored versions with prepared results; `asked` collects the calls and their keys."""

    plan: object
    results: dict
    asked: list

    def match(self, partition, ref, newer, keys):
        self.asked.append((partition, ref.file_id, keys.to_pylist()))
        return self.results[ref.file_id]

    def check_removable(self, stored, keys):
        self.asked.append(("removable", keys.to_pylist()))


def matched(alive=True, changed=True, row=0, merged=True):
    table = pa.table({"_hoodie_record_key": ["a"], "p": ["y"]}) if merged else None
    return MatchedKeys(masked(alive), masked(changed), masked(changed), numbers(row), table, pa.table({}))


def resolved(plan, records, locations, target, results):
    names = PathNames(
        ["x", "y"],
    )
    names.numbers(pa.array(["x", "y"]))
    lookup = LookupKeys(records, records.keys, numbers(*target), np.arange(len(records)))
    answers = Answers(plan, results, [])
    locations.resolve(lookup, names, answers, lambda rows: rows.column("p").combine_chunks())
    return answers.asked


def locations_of(*entries, logs=()):
    record, partition, place = (numbers(*values) for values in zip(*entries, strict=True))
    slices = [SliceRef(f"f{n}", "1", "f.parquet", 1, logs=logs) for n in range(1 + max(place))]
    return KeyLocations(record, partition, np.zeros(len(record), np.int64), place, slices)


def test_a_row_whose_record_wins_in_another_partition_leaves(plan_of, records):
    plan = plan_of(index="global-simple")
    locations = locations_of((0, 0, 0))
    asked = resolved(plan, records(plan, ("a", "y", 2, "")), locations, [1], {"f0": matched()})
    assert asked == [("x", "f0", ["a"])]
    assert locations.leaves.tolist() == [True]
    assert locations.to.tolist() == [1]
    assert locations.merged.column("_hoodie_record_key").to_pylist() == ["a"]


def test_a_row_that_wins_stays(plan_of, records):
    plan = plan_of(index="global-simple")
    locations = locations_of((0, 0, 0))
    resolved(plan, records(plan, ("a", "y", 0, "")), locations, [1], {"f0": matched(changed=False)})
    assert locations.leaves.tolist() == [False]
    assert locations.alive.tolist() == [True]


@pytest.mark.parametrize("case", ["same partition", "delete", "rows do not move"])
def test_slices_are_read_only_where_it_matters(plan_of, records, case):
    plan = plan_of(index="global-simple", update_partition=case != "rows do not move")
    newer = records(plan, ("a", "y", 2, ""), deletes="a" if case == "delete" else ())
    locations = locations_of((0, 1 if case == "same partition" else 0, 0))
    assert resolved(plan, newer, locations, [1], {}) == []
    assert locations.leaves.tolist() == [False]


def test_a_copy_that_a_log_deleted_is_not_alive(plan_of, records):
    plan = plan_of(index="global-simple", table_type="MERGE_ON_READ")
    locations = locations_of((0, 0, 0), (0, 1, 1), logs=(".log",))
    results = {"f0": matched(alive=False, changed=False, merged=False), "f1": matched(changed=False)}
    resolved(plan, records(plan, ("a", "y", 2, "")), locations, [1], results)
    assert locations.alive.tolist() == [False, True]


def test_a_row_that_leaves_a_log_must_be_removable(plan_of, records):
    plan = plan_of(index="global-simple", table_type="MERGE_ON_READ")
    asked = resolved(plan, records(plan, ("a", "y", 2, "")), locations_of((0, 0, 0)), [1], {"f0": matched()})
    assert asked[1:] == [("removable", ["a"])]
