"""Commits of tables that Hudi wrote: their changes, and the records that Hudi wrote for them in a metadata table."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import fastavro
from attrs import define, field

from hoodoo.archived_timeline import load_timeline
from hoodoo.format.log import BlockType, LogBlock, decode_deletes, read_blocks
from hoodoo.format.log.hfile_block import open_hfile_block
from hoodoo.metadata_table import MetadataTable
from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange
from hoodoo.properties import METADATA_TABLE_FOLDER, TableProperties, load_properties
from hoodoo.storage import Storage, storage_for
from hoodoo.timeline import Timeline

GOLDEN = Path(__file__).parents[4] / "tests/golden/tables"
SHARED = (
    "quickstart_trips_table_mor_avro__v8_trips_8i3u1d",
    "sample_table_cow__v9_timebasedkeygen_epochmillis",
    "sample_table_cow__v9_txns_simple_meta",
    "sample_table_cow__v9_txns_simple_overwrite",
    "sample_table_mor_avro__v9_nonpartitioned_rollback",
    "sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle",
    "sample_table_mor_avro__v9_txns_complex_meta",
)


def golden_names(*without: str) -> list[str]:
    """Return the sorted names of the golden tables with base files in Parquet format, except those in `without`."""
    names = {path.name.removesuffix(".tar.xz") for path in GOLDEN.glob("*.tar.xz")}
    return sorted(name for name in names - set(without) if "-lance" not in name)


@define(eq=False)
class OpenTable:
    """Table with a metadata table, opened as the functions of `maintenance` need it."""

    storage: Storage
    table: TableProperties
    timeline: Timeline
    metadata: MetadataTable


@define
class HudiRecords:
    """Records that Hudi wrote in a partition for one instant: Avro datums with their schemas, and deleted keys."""

    records: dict[bytes, tuple[bytes, str]] = field(factory=dict)
    deleted: set[bytes] = field(factory=set)


def opened(root: Path) -> OpenTable | None:
    """Return a table; None if it has no metadata table."""
    storage = storage_for(root)
    table = load_properties(storage)
    timeline = load_timeline(storage, table)
    metadata = MetadataTable.open(storage, table, timeline)
    return None if metadata is None else OpenTable(storage, table, timeline, metadata)


def records_of_hudi(table: OpenTable, partition: str) -> dict[str, HudiRecords]:
    """Return the records in the logs of a partition, by instant; logs that compactions replaced are read, too."""
    found: dict[str, HudiRecords] = {}
    for info in table.storage.walk(f"{METADATA_TABLE_FOLDER}/{partition}"):
        for block in read_blocks(table.storage, info.path) if ".log." in info.path else ():
            if not isinstance(block, LogBlock):
                continue
            here = found.setdefault(block.instant, HudiRecords())
            if block.type is BlockType.DELETE:
                keys = decode_deletes(table.storage, block, []).column("record_key")
                here.deleted.update(key.encode() for key in keys.to_pylist())
            elif block.type is BlockType.HFILE_DATA:
                with open_hfile_block(table.storage, block) as file:
                    cells, schema = file.all(), block.schema_text or file.schema_text or ""
                pairs = zip(cells.keys.to_pylist(), cells.values.to_pylist(), strict=True)
                here.records.update((key, (value, schema)) for key, value in pairs)
    return found


def commits(table: OpenTable, partition: str) -> Iterator[tuple[TableChange, str, HudiRecords]]:
    """Yield the change of each commit whose files exist, its operation, and Hudi's records for it (maybe none)."""
    written = records_of_hudi(table, partition)
    for instant in table.timeline.commits:
        metadata = table.timeline.commit_metadata(instant)
        stats = tuple(metadata.stats())
        if all(stat.path and table.storage.exists(stat.path) for stat in stats):
            change = TableChange(instant.time, stats=stats, replaced=metadata.replaced or {})
            yield change, metadata.operation_type, written.get(instant.time, HudiRecords())


def before(table: OpenTable, instant: str) -> OpenTable | None:
    """Return a table as of the last completed instant with an earlier time; None if there is none."""
    earlier = [other.time for other in table.timeline.completed if other.time < instant]
    if not earlier:
        return None
    timeline, metadata = table.timeline.as_of(max(earlier)), table.metadata.metadata.as_of(max(earlier))
    return OpenTable(
        table.storage, table.table, timeline, MetadataTable(table.storage, table.table, timeline, metadata)
    )


def cleans(table: OpenTable) -> Iterator[TableChange]:
    """Yield the change of each instant that removed files, from the logs of the partition `files`."""
    for instant, found in records_of_hudi(table, "files").items():
        removed: dict[str, list[str]] = {}
        for key, (value, schema) in found.records.items():
            if key != b"__all_partitions__":
                partition = "" if key == b"." else key.decode()
                files = decoded(value, schema)["filesystemMetadata"]
                names = [name for name, entry in files.items() if entry["isDeleted"]]
                if names:
                    removed[partition] = names
        if removed:
            yield TableChange(instant, removed=removed)


def decoded(value: bytes, schema: str) -> dict[str, Any]:
    """Return the record in an Avro datum; a bound in it is a pair of the name of its wrapper and a record."""
    found: Any = fastavro.schemaless_reader(
        io.BytesIO(value), parsed(schema), None, return_record_name=True, return_record_name_override=True
    )
    return dict(found)


def encoded(record: Any, schema: str) -> bytes:
    """Return the Avro datum of a record that `decoded` returned."""
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, parsed(schema), record)
    return stream.getvalue()


@cache
def parsed(schema: str) -> Any:
    """Return the schema of a JSON text in the form that fastavro uses."""
    return fastavro.parse_schema(json.loads(schema))


def as_mapping(change: RecordChange) -> dict[bytes, bytes]:
    """Return the values of a change by key, and check that no key is repeated."""
    keys = change.keys.to_pylist()
    assert len(set(keys)) == len(keys) == len(change.values)
    return dict(zip(keys, change.values.to_pylist(), strict=True))
