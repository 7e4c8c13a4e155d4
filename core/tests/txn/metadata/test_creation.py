"""Creation of a metadata table: times, order of the steps, and repetition."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.archived_timeline import load_timeline
from hoodoo.metadata_table import MetadataTable, PartitionKind
from hoodoo.metadata_table.creation.choice import IndexChoice
from hoodoo.metadata_table.creation.initial_records import InitialRecords
from hoodoo.metadata_table.missing_commits import missing_commits
from hoodoo.properties import load_properties, update_properties
from hoodoo.properties.property_keys import METADATA_PARTITIONS
from hoodoo.storage import storage_for
from hoodoo.txn import Coordination, begin
from hoodoo.txn.metadata.creation import Creation, create_partitions

ROWS = pa.table({"id": ["a", "b"], "v": [1, 2]})
KINDS = (PartitionKind.COLUMN_STATS, PartitionKind.RECORD_INDEX)
FOLDER = ".hoodie/metadata"


@pytest.fixture(params=[6, 9])
def storage(request, tmp_path):
    options = {"table_name": "t", "record_key": "id", "table_version": request.param, "metadata_table": None}
    hoodoo.write(ROWS, tmp_path / "table", options)
    return storage_for(tmp_path / "table")


def timeline_of(storage):
    return load_timeline(storage, load_properties(storage))


def create(storage, *kinds):
    choice = IndexChoice.of(kinds, load_properties(storage))
    return create_partitions(storage, timeline_of(storage), Coordination(), choice)


def metadata_of(storage):
    return MetadataTable.open(storage, load_properties(storage), timeline_of(storage))


def test_each_partition_has_its_own_time_by_the_rule_of_hudi(storage):
    assert create(storage, *KINDS) == Creation(("files", "column_stats", "record_index"))
    table, metadata = timeline_of(storage), metadata_of(storage)
    times = [instant.time for instant in metadata.metadata.completed]
    if table.layout == 1:
        assert times == [f"{table.commits[-1].time}0{number}" for number in (10, 11, 12)]
    else:
        assert times == [f"{number:017}" for number in (0, 1, 2)]
        assert min(instant.completion_time for instant in metadata.metadata.completed) > table.last_time
    assert metadata.metadata.pending == ()
    assert missing_commits(table, metadata.metadata) == []


def test_what_exists_is_not_created_again(storage):
    create(storage, PartitionKind.COLUMN_STATS)
    before = [info.path for info in storage.walk(FOLDER)]
    assert create(storage, PartitionKind.COLUMN_STATS) == Creation()
    assert [info.path for info in storage.walk(FOLDER)] == before
    assert create(storage, *KINDS) == Creation(("record_index",))
    assert load_properties(storage).metadata_partitions == ("column_stats", "files", "record_index")


def test_a_folder_that_no_property_names_is_replaced(storage):
    create(storage, *KINDS)
    old = {info.path for info in storage.walk(FOLDER) if "timeline/" not in info.path}
    update_properties(storage, {METADATA_PARTITIONS: ""})
    storage.create(f"{FOLDER}/column_stats/col-stats-0009-0_0-0-0_00000000000000001.hfile", b"damaged")
    create(storage, *KINDS)
    assert {info.path for info in storage.walk(FOLDER) if "timeline/" not in info.path} == old


def test_a_later_commit_that_is_missing_is_found(storage):
    create(storage, *KINDS)
    table, metadata = timeline_of(storage), metadata_of(storage)
    update_properties(storage, {METADATA_PARTITIONS: ""})
    hoodoo.write(ROWS, storage.uri, {"table_name": "t"})
    later = timeline_of(storage)
    assert [instant.time for instant in missing_commits(later, metadata.metadata)] == [later.commits[-1].time]
    assert missing_commits(table, metadata.metadata) == []


def test_a_live_writer_keeps_a_partition_from_being_created(storage):
    with begin(storage, timeline_of(storage)) as transaction:
        found = create(storage, *KINDS)
        assert found.created == ()
        assert transaction.time in found.obstacle
        assert not storage.exists(FOLDER)
        transaction.rollback()
    assert create(storage, *KINDS).created == ("files", "column_stats", "record_index")


def test_the_files_are_read_again_if_another_writer_commits(storage, monkeypatch):
    read = InitialRecords.of
    others = iter(range(5))

    def of(self, kind):
        if kind is PartitionKind.FILES and next(others) < 2:
            hoodoo.write(ROWS, storage.uri, {"table_name": "t"})
        return read(self, kind)

    monkeypatch.setattr(InitialRecords, "of", of)
    assert create(storage, *KINDS).obstacle is None
    files = metadata_of(storage).files()
    assert {name for names in files.values() for name in names} == {
        info.path for info in storage.walk() if info.path.endswith(".parquet")
    }
    update_properties(storage, {METADATA_PARTITIONS: ""})
    others = iter([0, 0, 0])
    assert "other writers committed" in create(storage, *KINDS).obstacle
