"""Base files of compacted shards: they contain the records that the shards contained."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from hoodoo.archived_timeline import load_timeline
from hoodoo.metadata_table import MetadataTable
from hoodoo.metadata_table.maintenance.compacted_shard import compacted_shards
from hoodoo.metadata_table.maintenance.record_schema import record_schema
from hoodoo.properties import METADATA_TABLE_FOLDER, load_properties
from hoodoo.storage import join, storage_for

GOLDEN = Path(__file__).parents[3] / "tests/golden/tables"


def opened(root):
    storage = storage_for(root)
    properties = load_properties(storage)
    return MetadataTable.open(storage, properties, load_timeline(storage, properties))


def content(metadata):
    found = {}
    if "column_stats" in metadata.partitions:
        found["column_stats"] = sorted(map(repr, metadata.column_stats()))
    if "partition_stats" in metadata.partitions:
        found["partition_stats"] = sorted(map(repr, metadata.partition_stats()))
    if "record_index" in metadata.partitions:
        found["record_index"] = sorted(map(repr, metadata.record_locations().to_pylist()))
    return {**found, "files": metadata.files()}


@pytest.mark.parametrize(
    "name",
    [
        "cow6",
        "mor6-archived-by-0.15.0",
        "mor8-by-1.0.2",
        "mor9-archived",
        "mor-upgraded-6-to-9",
        "cow9-changes-unlogged",
    ],
)
def test_a_compaction_changes_no_record(name, tmp_path):
    with tarfile.open(GOLDEN / f"{name}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    storage = storage_for(tmp_path / name)
    before = opened(storage.uri)
    expected = content(before)
    schema, time = record_schema(before), "29990101000000000"
    compacted = 0
    for partition in before.partitions:
        for shard in compacted_shards(before, partition, schema, time):
            compacted += 1
            for log in next(s for s in before.shards(partition) if s.file_id == shard.stat.file_id).logs:
                storage.delete(log.path)
            storage.create(join(METADATA_TABLE_FOLDER, shard.path), shard.body)
            assert shard.stat.file_size_in_bytes == len(shard.body)
    assert compacted >= len(before.partitions)
    timeline = before.metadata
    suffix = ".commit" if timeline.layout == 1 else f"_{time}.commit"
    storage.create(f"{timeline.folder}/{time}{suffix}", b"{}")
    after = opened(storage.uri)
    assert any(not shard.logs for shard in after.shards("files"))
    assert content(after) == expected
