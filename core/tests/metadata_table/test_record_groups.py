"""Groups of shards of a partitioned record index: their names, numbers and definitions."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from hoodoo.archived_timeline import load_timeline
from hoodoo.metadata_table import MetadataTable
from hoodoo.metadata_table.partition_kind import shard_number
from hoodoo.metadata_table.record_groups import group_of, is_partitioned, new_group, shard_count
from hoodoo.metadata_table.record_shards import PartitionedShards
from hoodoo.metadata_table.shards import Shard
from hoodoo.properties import TableProperties, load_properties
from hoodoo.storage import storage_for


@pytest.mark.parametrize(
    ("path", "group"),
    [
        ("", ""),
        ("x y", "x y"),
        ("é", "é"),
        ("2024/01/02", "2024%2F01%2F02"),
        ("a-b_c", "a%2Db%5Fc"),
        ("p=1", "p%3D1"),
        ("50%", "50%25"),
        ("0-0001", "0%2D0001"),
    ],
)
def test_a_group_is_the_escaped_path(path, group):
    """The name of a group is the escaped partition path, as Hudi 1.2.0 writes it."""
    assert group_of(path) == group
    for shard in new_group(group, 2):
        assert shard.file_id == f"record-index-{group}-{shard.number:04}-0"
        assert shard_number("record_index", shard.file_id) == (group, shard.number)


def test_an_index_of_the_whole_table_has_one_group(tmp_path):
    storage, table = storage_for(tmp_path), TableProperties({})
    whole = [Shard(f"record-index-{number:04}-0", "", number, None, "", ()) for number in range(2)]
    assert not is_partitioned(whole, storage, table)
    assert is_partitioned(new_group("x", 2), storage, table)


@pytest.mark.parametrize(
    ("definitions", "expected"),
    [
        ({"record_index": {"indexOptions": {"isPartitioned": "true"}}}, True),
        ({"record_index": {"indexOptions": {"isPartitioned": "false"}}}, False),
        ({"record_index": {"indexOptions": None}}, False),
        ({}, False),
        (None, False),
    ],
)
def test_the_definition_decides_about_an_index_without_shards(definitions, expected, tmp_path):
    storage = storage_for(tmp_path)
    table = TableProperties({"hoodie.table.index.defs.path": ".hoodie/.index_defs/index.json"})
    if definitions is not None:
        storage.create(table["hoodie.table.index.defs.path"], json.dumps({"indexDefinitions": definitions}).encode())
    assert is_partitioned([], storage, table) is expected
    assert not is_partitioned([], storage, TableProperties({}))


def test_the_number_of_shards_follows_the_number_of_records():
    assert shard_count(0, 1) == 1
    assert shard_count(10**8, 1) == 8
    assert shard_count(10**8, 10) == 10
    assert shard_count(10**12, 1) == 10_000


def test_groups_of_hudi(real_table):
    storage = storage_for(real_table("mor9-partitioned-record-index"))
    properties = load_properties(storage)
    metadata = MetadataTable.open(storage, properties, load_timeline(storage, properties))
    shards = metadata.complete_shards("record_index")
    assert is_partitioned(shards, storage, properties)
    groups = {path: group_of(path) for path in metadata.partition_paths()}
    assert {shard.group for shard in shards} == set(groups.values())
    assert {shard.number for shard in shards} == {0, 1}
    # each location is found in the shard of its partition and key
    located = metadata.record_locations().to_pylist()
    found = PartitionedShards.of(metadata)
    assert len(located) == 7
    for row in located:
        keys, file_ids = pa.array([row["key"]]), {row["file_id"]: 3}
        assert found.find(storage, row["partition"], keys, file_ids).groups.tolist() == [3]
