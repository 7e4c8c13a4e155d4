"""Keys of slices before a commit is complete: those that a reader finds after it."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo import Table
from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import CorruptTableError
from hoodoo.properties import load_properties
from hoodoo.reading.pending_keys import keys_after
from hoodoo.reading.schema.table_schema import table_schema
from hoodoo.storage import storage_for


def pending(root):
    """Make the last commit of a table, which wrote logs, pending; return the arguments of `keys_after`."""
    storage = storage_for(root)
    properties = load_properties(storage)
    timeline = load_timeline(storage, properties)
    commit = timeline.commits[-1]
    logs = {}
    for stat in timeline.commit_metadata(commit).stats():
        if ".log." in stat.path:
            logs.setdefault((stat.partition_path, stat.file_id), []).append(stat.path)
    assert logs
    columns = table_schema(timeline, properties)
    storage.delete(timeline.path_of(commit))
    before = load_timeline(storage, properties)
    assert commit.time in {instant.time for instant in before.pending}
    return storage, properties, before, columns, commit.time, logs


@pytest.mark.parametrize("name", ["mor9-event-time", "mor9-commit-time", "mor6-event-time", "mor9-partial-update"])
def test_keys_are_those_of_the_rows_after_the_commit(real_table, name):
    root = real_table(name)
    expected = {}
    for split in Table(root).splits(columns=["_hoodie_record_key"]):
        expected.setdefault((split.partition, split.file_id), set()).update(
            split.read().read_all().column(0).to_pylist()
        )
    storage, properties, before, columns, instant, logs = pending(root)
    present = keys_after(storage, properties, before, columns, instant, logs)
    every = sorted(set().union(*expected.values()))
    for group in logs:
        asked = pa.array([key.encode() for key in [*every, "no such key"]], pa.large_binary())
        found = present(*group, asked)
        assert found.type == asked.type
        assert {key.decode() for key in found.to_pylist()} == expected.get(group, set())
        assert len(present(*group, asked[:0])) == 0


def test_a_missing_file_of_a_slice_is_an_error(real_table):
    root = real_table("mor9-event-time")
    storage, properties, before, columns, instant, logs = pending(root)
    for partition, _ in logs:
        for path in (root / partition).glob("*.parquet"):
            path.unlink()
    present = keys_after(storage, properties, before, columns, instant, logs)
    with pytest.raises(CorruptTableError):
        present(*next(iter(logs)), pa.array([b"a"], pa.large_binary()))
