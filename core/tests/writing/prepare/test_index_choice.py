"""The index of a write, by properties and stored file groups."""

from __future__ import annotations

import pytest

from hoodoo.errors import OptionError, UnsupportedTable
from hoodoo.filegroup import FileSlice
from hoodoo.index.bucket_index import bucket_file_id
from hoodoo.index.index_types import BucketIndex, GlobalBloomIndex, GlobalSimpleIndex, SimpleIndex
from hoodoo.options import IndexOptions
from hoodoo.properties import TableProperties
from hoodoo.properties import property_keys as keys
from hoodoo.record import KeyConfig
from hoodoo.timeline import Instant, Timeline
from hoodoo.writing.prepare.index_choice import HASHING_METADATA, check_hashing, resolve_index

KEYS = KeyConfig(("id", "n"), ("p",))


def slices(*file_ids):
    return [FileSlice("p=1", file_id, "20260101000000000", "p=1/f.parquet", 1) for file_id in file_ids]


def chosen(properties, *file_ids, **options):
    return resolve_index(properties, slices(*file_ids), KEYS, IndexOptions(**options))


def test_the_default_is_simple():
    assert chosen({}) == SimpleIndex()


@pytest.mark.parametrize(("name", "kind"), [("global-simple", GlobalSimpleIndex), ("global-bloom", GlobalBloomIndex)])
@pytest.mark.parametrize(("option", "moves"), [(None, True), (True, True), (False, False)])
def test_a_global_index_moves_rows_unless_the_option_forbids_it(name, kind, option, moves):
    assert chosen({keys.INDEX: name}, update_partition=option) == kind(moves_rows=moves)


def test_a_bucket_index_has_the_stored_number_or_four_buckets():
    assert chosen({keys.INDEX: "bucket", keys.BUCKETS: "7"}) == BucketIndex(7, ())
    assert chosen({keys.INDEX: "bucket", keys.BUCKET_BY: "n"}) == BucketIndex(4, ("n",))


@pytest.mark.parametrize(
    "file_id",
    [bucket_file_id(4), "0f9e8d7c-6b5a-4433-8211-00ffeeddccbb-0"],
    ids=["bucket", "no bucket"],
)
def test_a_file_group_that_is_not_a_bucket_is_refused(file_id):
    with pytest.raises(OptionError, match=f"'{file_id}' in partition 'p=1' is not one of its buckets") as refused:
        chosen({keys.INDEX: "bucket", keys.BUCKETS: "4"}, bucket_file_id(3), file_id)
    assert refused.value.code == "contradiction"


def test_buckets_hash_columns_of_the_record_key_only():
    with pytest.raises(OptionError, match="'bucket_by' names other"):
        chosen({keys.INDEX: "bucket", keys.BUCKET_BY: "n,other"})


@pytest.mark.parametrize(("key", "option"), [(keys.BUCKETS, "buckets"), (keys.BUCKET_BY, "bucket_by")])
def test_options_of_buckets_need_a_bucket_index(key, option):
    with pytest.raises(OptionError, match=f"'{option}' is given and the index is simple"):
        chosen({key: "4"})


def test_a_table_of_numbered_buckets_needs_a_bucket_index():
    with pytest.raises(OptionError, match="numbered buckets"):
        chosen({}, "00000000-a-0", "00000001-b-0")
    assert chosen({}, "00000000-a-0", "1f9e8d7c-b-0") == SimpleIndex()


OF_A_NAME, RANDOM = "95b6c0e6-2fb5-3ec5-88d5-2fdc235c612c-0", "0f9e8d7c-6b5a-4433-8211-00ffeeddccbb-0"
HASHED = {keys.TABLE_NAME: "t", keys.TABLE_TYPE: "MERGE_ON_READ"}


@pytest.fixture
def hashed(storage):
    """Return a store with the hashing metadata of one partition, in a file with the name that Hudi uses."""
    storage.create(f"{HASHING_METADATA}/part=x/00000000000000.hashing_meta", b"{}")
    return storage


def checked(storage, file_id, operation, properties=HASHED, instants=()):
    check_hashing(
        storage, TableProperties(properties), Timeline(storage, tuple(instants), None, None), slices(file_id), operation
    )


@pytest.mark.parametrize("operation", ["upsert", "insert", "bulk_insert", "insert_overwrite", "delete_partition"])
def test_keys_are_not_added_to_file_groups_by_consistent_hashing(hashed, operation):
    with pytest.raises(UnsupportedTable, match=f"operation '{operation}' could add keys") as refused:
        checked(hashed, OF_A_NAME, operation)
    assert refused.value.code == "consistent_hashing"


def test_clustering_may_have_replaced_the_first_file_groups(hashed):
    replaced = Instant("20260101000000000", "replacecommit")
    with pytest.raises(UnsupportedTable):
        checked(hashed, RANDOM, "upsert", instants=[replaced])


def test_deletes_by_key_and_other_tables_are_accepted(hashed, storage):
    checked(hashed, OF_A_NAME, "delete")
    checked(hashed, OF_A_NAME, "upsert", {**HASHED, keys.TABLE_TYPE: "COPY_ON_WRITE"})
    checked(hashed, OF_A_NAME, "upsert", {**HASHED, keys.INDEX: "simple"})


def test_a_file_id_of_a_name_alone_is_no_hash_node(storage):
    checked(storage, OF_A_NAME, "upsert")
