"""Look-up of keys in the shards of a record index, as the tasks of a write do it."""

from __future__ import annotations

import msgspec
import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.metadata_table.record_shards import PartitionedShards, RecordShards
from hoodoo.metadata_table.shards import shard_of_keys

from .made import Made, base_file, data, deletes, location, time

SHARDS = 3
NAMES = [f"k{number}" for number in range(20)]
GROUPS = {("x", "f"): 0, ("y", "f"): 1, ("y", "g"): 2}


def by_shard(records):
    found = [{} for _ in range(SHARDS)]
    for key, number in zip(records, shard_of_keys(list(records), SHARDS).tolist(), strict=True):
        found[number][key] = records[key]
    return found


@pytest.fixture(params=[6, 9])
def made(request, tmp_path):
    """Return a metadata table: k0 to k9 are in x/f, k10 to k14 in y/f; then k1 moves to y/g, and k2 is deleted."""
    made = Made(tmp_path, request.param, "files,record_index")
    made.commit(time(0), time(1), time(2))
    records = {name: location("x", "f") for name in NAMES[:10]} | {name: location("y", "f") for name in NAMES[10:15]}
    for number, mine in enumerate(by_shard(records)):
        made.write("record_index", f"record-index-{number:04}-0_0-0-0_{time(0)}.hfile", base_file(mine))
    moved, gone = shard_of_keys(["k1", "k2"], SHARDS).tolist()
    name = ".record-index-{:04}-0_{}.log.{}_0-0-0"
    first = (time(1), 1) if made.layout > 1 else (time(0), 1)
    made.write("record_index", name.format(moved, *first), data(time(1), {"k1": location("y", "g")}))
    second = (time(2), 1) if made.layout > 1 else (time(0), 2)
    made.write("record_index", name.format(gone, *second), deletes(time(2), "k2"))
    return made


def opened(made):
    """Return the shards as a task receives them in a plan: encoded as JSON, and decoded again."""
    shards = RecordShards.of(made.open())
    return msgspec.json.decode(msgspec.json.encode(shards), type=RecordShards)


def found(made, keys, shards=None):
    located = (shards or opened(made)).find(made.open().storage, pa.array(keys), GROUPS)
    return dict(zip(located.positions.tolist(), located.groups.tolist(), strict=True))


def test_each_key_is_found_in_its_newest_file_group(made):
    keys = ["k14", "absent", "k1", "k0", "k2", "k1"]
    assert found(made, keys) == {0: 1, 2: 2, 3: 0, 5: 2}
    assert found(made, NAMES) == dict.fromkeys((0, *range(3, 10)), 0) | {1: 2} | dict.fromkeys(range(10, 15), 1)
    assert found(made, []) == {}


def test_a_pending_commit_has_moved_nothing(made):
    made.begin(time(3))
    [moved] = shard_of_keys(["k5"], SHARDS).tolist()
    block = data(time(3), {"k5": location("y", "g")})
    if made.layout > 1:
        made.write("record_index", f".record-index-{moved:04}-0_{time(3)}.log.1_0-0-0", block)
    else:
        made.write("record_index", f".record-index-{moved:04}-0_{time(0)}.log.3_0-0-0", block)
    made.pending(time(3))
    before = opened(made)
    assert found(made, ["k5"]) == {0: 0}
    made.commit(time(3))
    assert found(made, ["k5"]) == {0: 2}
    # the timeline that a write has pinned decides
    assert found(made, ["k5"], before) == {0: 0}


def test_a_key_in_a_file_group_that_the_table_lacks(made):
    with pytest.raises(CorruptTableError, match="names file group 'g' in partition 'y' for key 'k1'"):
        opened(made).find(made.open().storage, pa.array(["k1", "k3"]), {("x", "f"): 0})


def test_a_partitioned_index_has_shards_for_the_keys_of_each_partition(tmp_path):
    made = Made(tmp_path, 9, "files,record_index")
    made.commit(time(0))
    for group, path in (("x", "x"), ("y%2Dz", "y-z")):
        name = f"record-index-{group}-0000-0_0-0-0_{time(0)}.hfile"
        made.write("record_index", name, base_file({"k": location(path, "f"), path: location(path, "g")}))
    assert RecordShards.of(made.open()) is None
    shards = PartitionedShards.of(made.open())
    shards = msgspec.json.decode(msgspec.json.encode(shards), type=PartitionedShards)
    for path in ("x", "y-z"):
        located = shards.find(made.open().storage, path, pa.array(["y-z", "k", "x"]), {"f": 3, "g": 5})
        assert located.positions.tolist() == sorted([1, 2 if path == "x" else 0])
        assert dict(zip(located.positions.tolist(), located.groups.tolist(), strict=True))[1] == 3
    none = shards.find(made.open().storage, "new", pa.array(["k"]), {})
    assert (len(none.positions), len(none.groups)) == (0, 0)


def test_a_partition_of_an_index_of_the_whole_table(made):
    # a test table has no partition columns
    assert PartitionedShards.of(made.open()).groups.keys() == {""}


def test_a_missing_shard(made):
    for file in (made.folder / "record_index").glob("*record-index-0001*"):
        file.unlink()
    with pytest.raises(CorruptTableError, match="record-index-0001-0"):
        opened(made)
