"""Metadata tables for tables in memory: their partition `files` is built from a listing, as Hudi builds it."""

from __future__ import annotations

import json

import hoodoo
from hoodoo.diagnosis import Status
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.format.hfile import hfile_bytes
from hoodoo.format.log.block import BlockType, HeaderKey
from hoodoo.format.log.block_writer import encode_block
from hoodoo.metadata_table import MetadataTable
from hoodoo.metadata_table.content.records import FILES
from hoodoo.metadata_table.maintenance.compacted_shard import sorted_cells
from hoodoo.metadata_table.maintenance.record_schema import encoded_records, with_meta_fields
from hoodoo.properties import dump_properties, load_properties, parse_properties
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.storage import join, name_of, parent_of
from hoodoo.timeline import CommitMetadata, Instant, State

from .store import Files, storage_of

__all__ = ["SCHEMA", "add_metadata_table", "check_metadata_table", "metadata_table"]

FOLDER = ".hoodie/metadata"
BUILD = "00000000000000000"

_INFO = {
    "type": "record",
    "name": "HoodieMetadataFileInfo",
    "fields": [{"name": "size", "type": "long"}, {"name": "isDeleted", "type": "boolean"}],
}
SCHEMA = json.dumps(
    {
        "type": "record",
        "name": "HoodieMetadataRecord",
        "fields": [
            {"name": "key", "type": "string"},
            {"name": "type", "type": "int"},
            {"name": FILES, "type": ["null", {"type": "map", "values": _INFO}]},
        ],
    }
)


def add_metadata_table(files: Files, *, inflight: str = "") -> None:
    """Add a metadata table with all data files of the table; `inflight` names a partition that is being built."""
    storage = storage_of(files)
    properties = load_properties(storage)
    layout = properties.layout_version
    entries = parse_properties(files.bodies[PROPERTIES_FILE])
    named = {"hoodie.table.metadata.partitions": "files", "hoodie.table.metadata.partitions.inflight": inflight}
    files.put(PROPERTIES_FILE, dump_properties({**entries, **named}, ["Updated at 2026-01-01T00:00:00.000Z"]))
    own = {
        "hoodie.table.name": "t_metadata",
        "hoodie.table.type": "MERGE_ON_READ",
        "hoodie.table.version": str(properties.version),
        "hoodie.timeline.layout.version": str(layout),
        "hoodie.table.base.file.format": "HFILE",
    }
    files.put(f"{FOLDER}/{PROPERTIES_FILE}", dump_properties(own, ["Created at 2026-01-01T00:00:00.000Z"]))
    timeline = hoodoo.Table(files.uri).timeline
    listed: dict[str, dict[str, int]] = {}
    for info in storage.walk():
        if info.path.endswith(".parquet") or ".log." in info.path:
            listed.setdefault(parent_of(info.path) or ".", {})[name_of(info.path)] = info.size
    records = {"__all_partitions__": {"type": 1, FILES: {name: _file(0) for name in listed}}}
    records |= {
        partition: {"type": 2, FILES: {name: _file(size) for name, size in sizes.items()}}
        for partition, sizes in listed.items()
    }
    schema = with_meta_fields(SCHEMA, FOLDER)
    cells = sorted_cells(list(records), encoded_records(schema, records.values()))
    files.put(f"{FOLDER}/files/files-0000-0_0-0-0_{BUILD}.hfile", hfile_bytes(cells, {"schema": schema.encode()}))
    empty = encode_block(BlockType.DELETE, {HeaderKey.INSTANT_TIME: BUILD}, b"\0\0\0\3\0\0\0\1\0")
    files.put(f"{FOLDER}/files/.files-0000-0_{BUILD}.log.1_0-0-0", empty)
    body = CommitMetadata("UPSERT_PREPPED", {}, {"schema": SCHEMA}).to_bytes(layout)
    folder = join(FOLDER, ".hoodie" if layout == 1 else ".hoodie/timeline")
    for commit in (Instant(BUILD, "deltacommit", completion_time=BUILD if layout > 1 else None), *timeline.commits):
        delta = Instant(commit.time, "deltacommit", completion_time=commit.completion_time)
        for state in State:
            files.put(join(folder, delta.at(state).file_name), body if state is State.COMPLETED else b"")


def _file(size: int) -> dict[str, object]:
    return {"size": size, "isDeleted": False}


def metadata_table(files: Files) -> MetadataTable:
    """Open the metadata table of a table."""
    storage = storage_of(files)
    found = MetadataTable.open(storage, load_properties(storage), hoodoo.Table(files.uri).timeline)
    assert found is not None
    return found


def check_metadata_table(files: Files, *, exactly: bool) -> None:
    """Raise if the metadata table lacks files of completed commits or names others.

    Args:
        files: The files of the table.
        exactly: Whether each data file belongs to a completed commit, so that the metadata table has all of them.
    """
    problems = [finding for finding in validate(files.uri).findings if finding.status is Status.PROBLEM]
    assert not problems, problems
    named = {join(p, name): size for p, names in metadata_table(files).files().items() for name, size in names.items()}
    stored = {info.path: info.size for info in storage_of(files).walk()}
    stored = {path: size for path, size in stored.items() if path.endswith(".parquet") or ".log." in path}
    if exactly:
        assert named == stored
