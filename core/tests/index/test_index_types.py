"""Types of indexes: stored properties, JSON form, and numbers of file groups."""

from __future__ import annotations

import msgspec
import pyarrow as pa
import pytest

from hoodoo.index.bucket_index import bucket_ids
from hoodoo.index.index_types import (
    AnyIndex,
    BloomIndex,
    BucketIndex,
    GlobalBloomIndex,
    GlobalSimpleIndex,
    PartitionedRecordIndex,
    SimpleIndex,
    index_type,
)

INDEXES = [
    SimpleIndex(),
    BloomIndex(),
    BucketIndex(4, ("id",)),
    GlobalSimpleIndex(moves_rows=False),
    PartitionedRecordIndex(),
    GlobalBloomIndex(),
]


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: index.name)
def test_an_index_comes_back_from_json(index):
    assert msgspec.json.decode(msgspec.json.encode(index), type=AnyIndex) == index


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: index.name)
def test_the_stored_property_names_the_type(index):
    assert index_type(index.properties()["hoodoo.index"]) is type(index)


@pytest.mark.parametrize("stored", [None, "", "of-a-later-release"])
def test_an_unknown_index_is_simple(stored):
    assert index_type(stored) is SimpleIndex


@pytest.mark.parametrize(
    ("index", "is_global", "uses_bloom", "uses_buckets", "new_keys"),
    [
        (SimpleIndex, False, False, False, "partition"),
        (BloomIndex, False, True, False, "partition"),
        (BucketIndex, False, False, True, None),
        (GlobalSimpleIndex, True, False, False, "table"),
        (PartitionedRecordIndex, False, False, False, "partition"),
        (GlobalBloomIndex, True, True, False, "table"),
    ],
)
def test_what_an_index_does(index, is_global, uses_bloom, uses_buckets, new_keys):
    assert (index.is_global, index.uses_bloom, index.uses_buckets) == (is_global, uses_bloom, uses_buckets)
    assert index.new_keys == new_keys


def test_rows_move_with_a_global_index_alone():
    assert [index.moves_rows for index in INDEXES] == [False, False, False, False, False, True]


def test_file_groups_are_numbered_by_bucket_or_in_their_order():
    file_id = "00000003-9abc-4def-8123-456789abcdef-0"
    assert [index.slot_of(file_id, 7) for index in INDEXES] == [7, 7, 3, 7, 7, 7]


def test_a_bucket_index_stores_its_number_of_buckets_and_hashes_its_columns():
    index = BucketIndex(8, ("b",))
    keys = pa.array(["a:1,b:2", "a:2,b:2", "a:1,b:3"])
    assert index.properties() == {"hoodoo.index": "bucket", "hoodoo.buckets": "8"}
    assert index.slots(keys, ("a", "b")).tolist() == bucket_ids(keys, 8, ("b",), ("a", "b")).tolist()
    assert index.slots(keys, ("a", "b"))[0] == index.slots(keys, ("a", "b"))[1]
