"""Partitions of a metadata table that hoodoo updates, with the functions that return their records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from hoodoo.metadata_table.maintenance import (
    bloom_records,
    column_stats_records,
    file_records,
    partition_stats_records,
    record_index_records,
)
from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.metadata_table.partition_kind import PartitionKind, kind_of
from hoodoo.metadata_table.record_groups import WHOLE_TABLE, group_of, is_partitioned
from hoodoo.metadata_table.shards import Shard
from hoodoo.properties import TableProperties

__all__ = ["changed_records", "is_kept"]


@frozen
class _Kept:
    """Partition that hoodoo updates.

    Attributes:
        records: Function of the metadata table before a change, the change, and the records of the partitions that come
            before it in the order of the names.
        is_possible: Function that returns whether the partition can be updated for a table with given properties.
    """

    records: Callable[[MetadataTable, TableChange, Mapping[str, RecordChange]], RecordChange]
    is_possible: Callable[[TableProperties], bool] = lambda table: True


def _files(metadata: MetadataTable, change: TableChange, done: Mapping[str, RecordChange]) -> RecordChange:
    return file_records.records(metadata, change)


def _blooms(metadata: MetadataTable, change: TableChange, done: Mapping[str, RecordChange]) -> RecordChange:
    return bloom_records.records(metadata, change)


def _column_stats(metadata: MetadataTable, change: TableChange, done: Mapping[str, RecordChange]) -> RecordChange:
    return column_stats_records.records(metadata, change)


def _partition_stats(metadata: MetadataTable, change: TableChange, done: Mapping[str, RecordChange]) -> RecordChange:
    known = done.get(PartitionKind.COLUMN_STATS)
    return partition_stats_records.records(metadata, change, known)


def _record_index(metadata: MetadataTable, change: TableChange, done: Mapping[str, RecordChange]) -> RecordChange:
    return record_index_records.records(metadata, change)


_KEPT: Mapping[PartitionKind, _Kept] = {
    PartitionKind.FILES: _Kept(_files),
    PartitionKind.BLOOM_FILTERS: _Kept(_blooms),
    PartitionKind.COLUMN_STATS: _Kept(_column_stats),
    PartitionKind.PARTITION_STATS: _Kept(
        _partition_stats, lambda table: partition_stats_records.obstacle(table) is None
    ),
    PartitionKind.RECORD_INDEX: _Kept(_record_index, lambda table: table.populate_meta_fields),
}


def is_kept(partition: str, table: TableProperties) -> bool:
    """Return whether hoodoo updates a partition of the metadata table of a table with these properties."""
    kept = _KEPT.get(kind) if (kind := kind_of(partition)) is not None else None
    return kept is not None and kept.is_possible(table)


def changed_records(
    partition: str,
    metadata: MetadataTable,
    found: Sequence[Shard],
    change: TableChange,
    done: Mapping[str, RecordChange],
) -> Mapping[str, RecordChange]:
    """Return the records of a partition for which `is_kept` is true, by the group of their shards.

    Args:
        partition: Name of the partition.
        metadata: The metadata table before the change.
        found: The shards of the partition.
        change: The files that an instant adds to the table and removes from it.
        done: The records of the partitions that come before this one in the order of the names.

    Raises:
        CorruptTableError: A file of the change or of the metadata table is missing or damaged.
        UnsupportedTable: A file of the change cannot be read.
        SchemaError: A column with statistics has several types in its files, and none contains the others.
    """
    if partition == PartitionKind.RECORD_INDEX and is_partitioned(found, metadata.storage, metadata.table):
        parts = record_index_records.records_by_partition(metadata, change)
        return {group_of(path): records for path, records in parts.items()}
    return {WHOLE_TABLE: _KEPT[PartitionKind(partition)].records(metadata, change, done)}
