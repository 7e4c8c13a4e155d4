"""Look-up of a write with the index `record`: by the table's record index, or without one in base files."""

from __future__ import annotations

from msgspec.structs import replace

from hoodoo.caller import warn_caller
from hoodoo.index.index_types import AnyIndex, RecordIndex
from hoodoo.metadata_table import MetadataTable, PartitionKind
from hoodoo.metadata_table.record_shards import RecordShards
from hoodoo.options import NoEffectWarning
from hoodoo.properties import load_properties
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["with_shards"]


def with_shards(index: AnyIndex, storage: Storage, timeline: Timeline) -> AnyIndex:
    """Return the index of a write, with the shards of the table's record index if it is the index `record`.

    Without a record index, the keys are looked up in base files, with a notice.

    Args:
        index: The index of the write.
        storage: The table's files.
        timeline: The timeline with which the write was planned: later locations are ignored.

    Raises:
        CorruptTableError: The metadata table is damaged.
        UnsupportedTable: The version of the metadata table is not supported.
    """
    if not isinstance(index, RecordIndex):
        return index
    found = _shards(storage, timeline)
    if isinstance(found, RecordShards):
        return replace(index, shards=found)
    warn_caller(
        f"'index' = 'record' (hoodie.index.type) has no effect on this write, which looks keys up in all base files as "
        f"'global-simple' does: {found}",
        NoEffectWarning,
    )
    return index


def _shards(storage: Storage, timeline: Timeline) -> RecordShards | str:
    """Return the shards of the record index, or the reason why it cannot be used."""
    # a write may have removed partitions of the metadata table since its options were checked
    properties = load_properties(storage)
    if PartitionKind.RECORD_INDEX not in properties.metadata_partitions:
        return "the table has no record index in its metadata table"
    metadata = MetadataTable.open(storage, properties, timeline)
    if metadata is None:
        return "the metadata table does not exist"
    return RecordShards.of(metadata) or "the record index is partitioned"
