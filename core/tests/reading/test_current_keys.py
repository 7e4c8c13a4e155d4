"""Record keys of a table by file group: those of the rows, after the merge of logs."""

from __future__ import annotations

import pyarrow as pa

import hoodoo
from hoodoo.archived_timeline import load_timeline
from hoodoo.properties import load_properties
from hoodoo.reading.current_keys import current_keys
from hoodoo.storage import storage_for


def test_keys_are_those_of_the_rows(tmp_path):
    path = tmp_path / "table"
    options = {"table_name": "t", "record_key": "id", "partition_by": "p", "table_type": "MERGE_ON_READ"}
    hoodoo.write(pa.table({"id": ["a", "b", "c"], "p": ["x", "x", "y"]}), path, options)
    hoodoo.write(pa.table({"id": ["a"], "p": ["x"]}), path, {"table_name": "t", "operation": "delete"})
    storage = storage_for(path)
    properties = load_properties(storage)
    found = current_keys(storage, properties, load_timeline(storage, properties))
    slices = {(s.partition, s.file_id): s.base_instant for s in hoodoo.Table(path).file_slices()}
    assert {part.group: part.instant for part in found} == slices
    keys = sorted((part.group[0], part.keys.to_pylist()) for part in found)
    assert [(partition, names) for partition, names in keys if names] == [("x", [b"b"]), ("y", [b"c"])]
