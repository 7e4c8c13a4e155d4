"""Tests of compactions of the metadata table."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.archived_timeline import load_timeline
from hoodoo.metadata_table import MetadataTable
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.txn.metadata import upkeep


def opened(root):
    storage = storage_for(root)
    properties = load_properties(storage)
    return MetadataTable.open(storage, properties, load_timeline(storage, properties))


@pytest.mark.parametrize("version", [6, 8, 9])
def test_a_compaction_is_earlier_than_the_instant_of_its_writer(version, tmp_path):
    """If the writer dies, its instant is rolled back; Hudi 1.0.2 cannot roll back an instant before a compaction."""
    options = {"table_name": "t", "record_key": "id", "table_version": version, "hoodie.metadata.enable": "true"}
    for number in range(8):
        hoodoo.write(pa.table({"id": [number]}), tmp_path, options | {"metadata_compact_after_commits": 2})
    timeline = opened(tmp_path).metadata
    compactions = [instant for instant in timeline.commits if instant.action == "commit"]
    assert len(compactions) >= 2
    for compaction in compactions:
        later = [delta for delta in timeline.commits if (delta.completed_at or delta.time) > compaction.time[:17]]
        assert all(delta.time >= compaction.time[:17] for delta in later if delta.action == "deltacommit")


@pytest.mark.parametrize("version", [6, 8, 9])
def test_the_logs_of_shards_without_records_are_compacted(version, tmp_path, monkeypatch):
    """Compactions include shards without new records, because hudi-core ignores the logs of archived instants."""
    monkeypatch.setattr(upkeep, "_SLICES", 1)
    monkeypatch.setattr(upkeep, "_COMMITS", 2)
    options = {"table_name": "t", "record_key": "id", "table_version": version, "metadata_compact_after_commits": 2}
    indexed = {"hoodie.metadata.enable": "true", "hoodie.metadata.record.index.enable": "true"}
    steps = [("upsert", "abcde"), ("upsert", "a"), ("upsert", "a"), ("delete", "cde"), *[("upsert", "ab")] * 8]
    for operation, keys in steps:
        rows = pa.table({"id": list(keys)})
        hoodoo.write(rows, tmp_path, options | indexed | {"operation": operation})
    metadata = opened(tmp_path)
    completed = {instant.time for instant in metadata.metadata.completed}
    shards = metadata.complete_shards("record_index")
    # at most two shards have one of the keys
    assert len(shards) > 2
    assert metadata.record_locations()["key"].to_pylist() == ["a", "b"]
    assert min(completed) > min(shard.base_instant for shard in shards)
    assert all(log.instant in completed for shard in shards for log in shard.logs)
