"""Tests of the schema of new records of a metadata table."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from attrs import evolve

import hoodoo
from hoodoo.diagnosis import Status
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.errors import CorruptTableError
from hoodoo.metadata_table.maintenance.record_schema import commit_schema

from .hudi_commits import opened


@pytest.fixture(params=[6, 9])
def table(request, tmp_path):
    """Return a table's path, and the schema that was removed from all commits of its metadata table.

    Commits of the crate hudi-core have no schema, either.
    """
    path, options = tmp_path / "t", {"table_name": "t", "record_key": "id", "table_version": request.param}
    for number in range(2):
        hoodoo.write(pa.table({"id": [number]}), path, options | {"hoodie.metadata.enable": "true"})
    found = opened(path)
    with_schema = commit_schema(found.metadata)
    for instant in (timeline := found.metadata.metadata).commits:
        body = evolve(timeline.commit_metadata(instant), extra_metadata={})
        found.storage.replace(timeline.path_of(instant), body.to_bytes(timeline.layout))
    return path, with_schema


def test_without_a_schema_in_commits_that_of_the_files_is_used(table):
    path, with_schema = table
    metadata = opened(path).metadata
    assert metadata.newest_schema is None
    assert json.loads(commit_schema(metadata)) == json.loads(with_schema)

    hoodoo.write(pa.table({"id": [1, 2]}), path)
    assert opened(path).metadata.newest_schema == commit_schema(metadata)
    assert sorted(hoodoo.Table(path).to_arrow(metadata_table=True)["id"].to_pylist()) == [0, 1, 2]
    assert [finding for finding in validate(path).findings if finding.status is Status.PROBLEM] == []


def test_without_any_schema_the_write_is_refused(table, monkeypatch):
    path, _ = table
    monkeypatch.setattr("hoodoo.metadata_table.MetadataTable.schema_of_files", None)
    with pytest.raises(CorruptTableError, match="has the schema of the metadata table; give"):
        hoodoo.write(pa.table({"id": [1]}), path)
