"""Properties and parts of a write that creates its table."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import OptionError
from hoodoo.index.index_types import BucketIndex
from hoodoo.properties import property_keys as keys


def test_the_default_is_a_copy_on_write_table(prepared):
    properties = prepared(table_version=9).properties
    assert properties[keys.TABLE_NAME] == "t"
    assert properties[keys.TABLE_TYPE] == "COPY_ON_WRITE"
    assert properties[keys.TABLE_VERSION] == "9"
    assert properties[keys.RECORD_KEY_FIELDS] == "id"
    assert properties[keys.PARTITION_FIELDS] == "p"
    assert properties[keys.ORDERING_FIELDS] == "ts"
    assert properties[keys.TIMEZONE] == "UTC"


def test_a_table_of_version_6_is_the_default_and_has_the_names_of_version_6(prepared):
    properties = prepared().properties
    assert properties[keys.TABLE_VERSION] == "6"
    assert properties[keys.PRECOMBINE_FIELD] == "ts"
    assert keys.ORDERING_FIELDS not in properties


def test_the_write_has_what_the_options_name(prepared):
    write = prepared(table_type="MERGE_ON_READ", index="bucket", buckets=3, operation="insert", dup_policy="fail")
    assert write.table.appends
    assert write.index == BucketIndex(3, ())
    assert (write.operation.name, write.operation.dup_policy) == ("insert", "fail")
    assert write.timeline is None
    assert write.slices == []
    assert write.properties[keys.BUCKETS] == "3"


def test_a_bloom_index_brings_a_filter(prepared):
    assert prepared(index="bloom").files.bloom is not None
    assert prepared().files.bloom is None


def test_kinds_of_partition_columns_are_stored_apart_below_version_8(prepared):
    options = {"keygen": "custom", "partition_by": "p:simple"}
    old, new = prepared(table_version=6, **options).properties, prepared(table_version=9, **options).properties
    assert (old[keys.PARTITION_FIELDS], old[keys.PARTITION_KINDS]) == ("p", "p:simple")
    assert new[keys.PARTITION_FIELDS] == "p:simple"
    assert keys.PARTITION_KINDS not in new


def test_columns_are_stored_without_meta_columns(prepared):
    assert prepared(pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64())])).table.schema.names == [
        "id",
        "p",
        "ts",
    ]


def test_a_new_table_needs_a_name(prepared):
    with pytest.raises(OptionError, match="give the option 'table_name'"):
        prepared(table_name=None)


@pytest.mark.parametrize("version", [5, 7, 10])
def test_other_versions_are_not_created(prepared, version):
    with pytest.raises(OptionError, match=r"versions 6, 8, 9 can be created"):
        prepared(table_version=version)
