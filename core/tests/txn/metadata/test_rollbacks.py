"""Removal of temporary files that a dead process left in the metadata table."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for

OPTIONS = {"table_name": "t", "record_key": "id", "metadata_table": True}


@pytest.mark.slow
@pytest.mark.parametrize("version", [6, 9])
def test_a_write_removes_temporary_files_from_each_folder_of_the_metadata_table(tmp_path, version):
    path = tmp_path / "t"
    hoodoo.write(pa.table({"id": ["a"], "v": [1]}), path, {**OPTIONS, "table_version": version})
    properties = load_properties(storage_for(path))
    metadata = path / ".hoodie/metadata"
    # a process that ends before it renames or links such a file leaves it
    folders = {metadata / ".hoodie", metadata / properties.timeline_folder, metadata / "files"}
    left = [folder / ".20260101000000000.deltacommit.0123456789ab.tmp" for folder in folders]
    for file in left:
        file.write_bytes(b"")

    hoodoo.write(pa.table({"id": ["b"], "v": [2]}), path, OPTIONS)

    assert not [file for file in left if file.exists()]
    assert hoodoo.Table(path).to_arrow(["id"], metadata_table=True)["id"].to_pylist() == ["a", "b"]
