"""Choice of the look-up for an index by keys: in the shards of the record index, or in base files if it is missing."""

from __future__ import annotations

from collections.abc import Callable

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

    Without a record index of the kind that the index uses, the keys are looked up in base files, and a warning is
    issued.

    Args:
        index: The index of the write.
        storage: The table's files.
        timeline: The timeline with which the write was planned: later locations are ignored.

    Raises:
        CorruptTableError: The metadata table is damaged.
        UnsupportedTable: The version of the metadata table is not supported.
    """
    found = _WAYS.get(type(index))
    if found is None:
        return index
    shards_of, instead, other_kind = found
    metadata = _metadata_table(storage, timeline)
    shards = metadata if isinstance(metadata, str) else shards_of(metadata) or other_kind
    if not isinstance(shards, str):
        return replace(index, shards=shards)
    warn_caller(
        f"'index' = '{index.name}' (hoodie.index.type) has no effect on this write, which looks keys up {instead}: "
        f"{shards}; Table.create_indexes creates the record index that 'index' needs",
        NoEffectWarning,
    )
    return index


_OTHER_KIND = "the record index is {}; Table.drop_indexes removes it"

_WAYS: dict[type[AnyIndex], tuple[Callable[[MetadataTable], RecordShards | PartitionedShards | None], str, str]] = {
    RecordIndex: (RecordShards.of, "in all base files as 'global-simple' does", _OTHER_KIND.format("partitioned")),
    PartitionedRecordIndex: (
        PartitionedShards.of,
        "in base files as 'simple' does",
        _OTHER_KIND.format("not partitioned"),
    ),
}
"""For each index that uses the record index: the function that returns its shards, and two texts for a warning.

The texts are the look-up that is used instead, and the reason if the record index is of the other kind.
"""


def _metadata_table(storage: Storage, timeline: Timeline) -> MetadataTable | str:
    """Return the metadata table with a record index, or the reason why there is none."""
    # a write may have removed partitions of the metadata table since its options were checked
    properties = load_properties(storage)
    if PartitionKind.RECORD_INDEX not in properties.metadata_partitions:
        return "the table has no record index in its metadata table"
    return MetadataTable.open(storage, properties, timeline) or "the metadata table does not exist"
