"""Tests of compactions of the metadata table."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.archived_timeline import load_timeline
from hoodoo.metadata_table import MetadataTable
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for


@pytest.mark.parametrize("version", [6, 8, 9])
def test_a_compaction_is_earlier_than_the_instant_of_its_writer(version, tmp_path):
    """Hudi 1.0.2 cannot roll back an instant that is earlier, and the writer may die before it completes its own."""
    options = {"table_name": "t", "record_key": "id", "table_version": version, "hoodie.metadata.enable": "true"}
    for number in range(8):
        hoodoo.write(pa.table({"id": [number]}), tmp_path, options | {"metadata_compact_after_commits": 2})
    storage = storage_for(tmp_path)
    properties = load_properties(storage)
    timeline = MetadataTable.open(storage, properties, load_timeline(storage, properties)).metadata
    compactions = [instant for instant in timeline.commits if instant.action == "commit"]
    assert len(compactions) >= 2
    for compaction in compactions:
        later = [delta for delta in timeline.commits if (delta.completed_at or delta.time) > compaction.time[:17]]
        assert all(delta.time >= compaction.time[:17] for delta in later if delta.action == "deltacommit")
