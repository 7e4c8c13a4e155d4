"""Metadata tables of Hudi before a write: partitions that cannot be kept are removed, and damage is an error."""

from __future__ import annotations

import json
import warnings

import pytest

from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.properties import load_properties, update_properties
from hoodoo.properties.property_keys import METADATA_PARTITIONS, METADATA_PARTITIONS_INFLIGHT
from hoodoo.storage import storage_for
from hoodoo.txn import Coordination
from hoodoo.txn.metadata.preparation import IndexDisabled, prepare_metadata_table

TABLE = "cow9-failed"


@pytest.fixture
def storage(real_table):
    return storage_for(real_table(TABLE))


def prepare(storage):
    prepare_metadata_table(storage, load_timeline(storage, load_properties(storage)), Coordination())


def test_a_partition_that_cannot_be_kept_is_removed_with_one_warning(storage):
    index = "secondary_index_v"
    before = load_properties(storage)
    named = ("column_stats", "files", "partition_stats")
    assert before.metadata_partitions == named
    update_properties(storage, {METADATA_PARTITIONS: ",".join([*named, index])})
    definitions = before["hoodie.table.index.defs.path"]
    document = json.loads(storage.read(definitions))
    document["indexDefinitions"][index] = document["indexDefinitions"]["column_stats"]
    storage.replace(definitions, json.dumps(document).encode())
    storage.create(f".hoodie/metadata/{index}/.hoodie_partition_metadata", b"")

    with pytest.warns(IndexDisabled) as caught:
        prepare(storage)

    [warning] = caught
    assert f"'{index}'" in str(warning.message)
    assert "CREATE INDEX" in str(warning.message)
    after = load_properties(storage)
    assert after.metadata_partitions == named
    assert {key for key in before if before[key] != after.get(key)} - {"hoodie.table.checksum"} == set()
    assert not storage.exists(f".hoodie/metadata/{index}")
    assert storage.exists(".hoodie/metadata/column_stats")
    assert set(json.loads(storage.read(definitions))["indexDefinitions"]) == {"column_stats"} | (
        set(document["indexDefinitions"]) - {index}
    )

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prepare(storage)


def test_a_partition_that_is_being_built_is_removed(storage):
    update_properties(storage, {METADATA_PARTITIONS: "files", METADATA_PARTITIONS_INFLIGHT: "record_index"})
    with pytest.warns(IndexDisabled, match="'record_index'"):
        prepare(storage)
    assert not load_properties(storage).get(METADATA_PARTITIONS_INFLIGHT)


def test_a_metadata_table_that_lacks_a_commit_is_refused(storage):
    timeline = load_timeline(storage, load_properties(storage))
    last = timeline.commits[-1].time
    for info in storage.list(".hoodie/metadata/.hoodie/timeline"):
        if last in info.path and info.path.endswith(".deltacommit"):
            storage.delete(info.path)
    with pytest.raises(UnsupportedTable, match=f"lacks 1 commit of the table, the last one {last}"):
        prepare(storage)
    assert "column_stats" in load_properties(storage).metadata_partitions


def test_a_missing_file_group_is_an_error(storage):
    storage.delete_tree(".hoodie/metadata/files")
    with pytest.raises(CorruptTableError, match="has no file groups"):
        prepare(storage)


def test_a_table_without_a_metadata_table_stays_unchanged(storage):
    update_properties(storage, {}, [METADATA_PARTITIONS, METADATA_PARTITIONS_INFLIGHT])
    before = storage.read(".hoodie/hoodie.properties")
    prepare(storage)
    assert storage.read(".hoodie/hoodie.properties") == before
