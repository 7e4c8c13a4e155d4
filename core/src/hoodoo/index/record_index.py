"""Look-up of a write with an index that uses the record index: by its shards, or without one in base files."""

from __future__ import annotations

from msgspec.structs import replace

from hoodoo.caller import warn_caller
from hoodoo.index.index_types import AnyIndex, PartitionedRecordIndex, RecordIndex
from hoodoo.metadata_table import MetadataTable, PartitionKind
from hoodoo.metadata_table.record_shards import PartitionedShards, RecordShards
from hoodoo.options import NoEffectWarning
from hoodoo.properties import load_properties
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["with_shards"]


def with_shards(index: AnyIndex, storage: Storage, timeline: Timeline) -> AnyIndex:
    """Return the index of a write, with the shards of the table's record index if the index uses it.

    Without a record index, the keys are looked up in base files, with a notice.

    Args:
        index: The index of the write.
        storage: The table's files.
        timeline: The timeline with which the write was planned: later locations are ignored.

    Raises:
        CorruptTableError: The metadata table is damaged.
        UnsupportedTable: The version of the metadata table is not supported.
    """
    if isinstance(index, RecordIndex):
        metadata = _metadata_table(storage, timeline)
        shards = metadata if isinstance(metadata, str) else RecordShards.of(metadata)
        if isinstance(shards, RecordShards):
            return replace(index, shards=shards)
        _warn(index.name, "in all base files as 'global-simple' does", shards or "the record index is partitioned")
    elif isinstance(index, PartitionedRecordIndex):
        metadata = _metadata_table(storage, timeline)
        groups = metadata if isinstance(metadata, str) else PartitionedShards.of(metadata)
        if isinstance(groups, PartitionedShards):
            return replace(index, shards=groups)
        _warn(index.name, "in base files as 'simple' does", groups or "the record index is not partitioned")
    return index


def _warn(name: str, way: str, reason: str) -> None:
    warn_caller(
        f"'index' = '{name}' (hoodie.index.type) has no effect on this write, which looks keys up {way}: {reason}",
        NoEffectWarning,
    )


def _metadata_table(storage: Storage, timeline: Timeline) -> MetadataTable | str:
    """Return the metadata table with a record index, or the reason why there is none."""
    # a write may have removed partitions of the metadata table since its options were checked
    properties = load_properties(storage)
    if PartitionKind.RECORD_INDEX not in properties.metadata_partitions:
        return "the table has no record index in its metadata table"
    return MetadataTable.open(storage, properties, timeline) or "the metadata table does not exist"
