"""Records of the partition `partition_stats`: the range of each indexed column in each changed partition."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa

from hoodoo.errors import UnsupportedTable
from hoodoo.format.hfile import Cells
from hoodoo.metadata_table.content.hashed_keys import stats_key
from hoodoo.metadata_table.content.records import STATS, merged_records
from hoodoo.metadata_table.content.statistics import merged_stats
from hoodoo.metadata_table.layers import Layer, Selection, layers
from hoodoo.metadata_table.maintenance import column_stats_records
from hoodoo.metadata_table.maintenance.changed_files.current_slices import current_slices
from hoodoo.metadata_table.maintenance.changed_files.merge_kind import MergeKind, merge_kind
from hoodoo.metadata_table.maintenance.changed_files.parallel import in_threads
from hoodoo.metadata_table.maintenance.record_schema import record_schema
from hoodoo.metadata_table.maintenance.statistics import (
    ColumnRange,
    IndexedColumns,
    RangeRecords,
    combined,
    file_ranges,
    latest_columns,
    stored_range,
)
from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.metadata_table.partition_kind import PartitionKind
from hoodoo.properties import TableProperties
from hoodoo.storage import join

__all__ = ["obstacle", "records"]

_KIND = 6


def obstacle(table: TableProperties) -> str | None:
    """Return the reason why `partition_stats` of a table cannot be updated; None if it can."""
    if merge_kind(table) is MergeKind.UNKNOWN:
        return (
            f"the merge rule of table '{table.name}' may compute values that no file has, so the statistics of files "
            "are not those of the rows"
        )
    return None


def records(
    metadata_table: MetadataTable, change: TableChange, column_stats: RecordChange | None = None
) -> RecordChange:
    """Return the statistics of the partitions whose current files a change adds or removes.

    They are combined from the statistics of all current files of the partition; a file without statistics is read. The
    statistics of a partition without files are deleted.

    Args:
        metadata_table: The metadata table, without the change.
        change: The files that an instant adds to the table and removes from it.
        column_stats: The records of `column_stats` for the same change; None to compute them here.

    Raises:
        CorruptTableError: A file is missing or damaged, the definitions of the indexes cannot be read, or the metadata
            table has no schema.
        UnsupportedTable: The partition cannot be updated, or a file or a log block cannot be read.
        SchemaError: A column has several types in its files, and none contains the others.
    """
    reason = obstacle(metadata_table.table)
    if reason is not None:
        raise UnsupportedTable(
            f"partition '{PartitionKind.PARTITION_STATS}' of the metadata table cannot be kept current: {reason}; drop "
            "it with 'hoodoo table index drop'",
            code="metadata_table",
        )
    if column_stats is None:
        column_stats = column_stats_records.records(metadata_table, change)
    storage = metadata_table.storage
    columns = IndexedColumns.load(metadata_table, change)
    files = _changed_files(metadata_table, change)
    written = _layer(metadata_table, column_stats)
    names = columns.of(latest_columns(metadata_table.table, metadata_table.timeline))
    for record in merged_records([written], STATS, merged_stats).values():
        if record["columnName"] not in names:
            names.append(record["columnName"])
    known = _known(metadata_table, written, names, files)
    encoder = RangeRecords(record_schema(metadata_table), _KIND)
    keys, values, deleted = [], [], []
    for partition, current in files.items():
        unknown = [join(partition, name) for name in current if (partition, name) not in known]
        read = in_threads(lambda path: file_ranges(storage, path, columns, None), unknown, storage)
        ranges: dict[str, list[ColumnRange]] = {}
        for found in (*(known.get((partition, name), ()) for name in current), *read):
            for item in found:
                ranges.setdefault(item.column, []).append(item)
        for column in names:
            key = stats_key(column, partition).encode()
            if column in ranges:
                keys.append(key)
                values.append(encoder.encode(partition, combined(ranges[column]), is_tight=True))
            elif not current:
                deleted.append(key)
    return RecordChange(*(pa.array(found, pa.large_binary()) for found in (keys, values, deleted)))


def _changed_files(metadata_table: MetadataTable, change: TableChange) -> Mapping[str, Sequence[str]]:
    """Return the names of the current files of each partition in which the change adds or removes one."""
    partitions = {stat.partition_path or "" for stat in change.stats if stat.path} | set(change.replaced)
    files = _current(metadata_table, partitions | set(change.removed), change)
    if change.removed.keys() <= partitions:
        return files
    # a clean removes files that are not current
    before = _current(metadata_table, set(change.removed), None)
    removing = {
        partition for partition, names in before.items() if not set(names).isdisjoint(change.removed[partition])
    }
    return {partition: names for partition, names in files.items() if partition in partitions | removing}


def _current(
    metadata_table: MetadataTable, partitions: Collection[str], change: TableChange | None
) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {partition: [] for partition in sorted(partitions)}
    for (partition, _), current in current_slices(metadata_table, metadata_table.timeline, partitions, change).items():
        files[partition] += (*([] if current.base is None else [current.base]), *current.logs)
    return files


def _layer(metadata_table: MetadataTable, written: RecordChange) -> Layer:
    """Return the statistics of the files of the change in the form of stored ones."""
    schema = record_schema(metadata_table)
    return Layer("the new statistics", PartitionKind.COLUMN_STATS, Cells(written.keys, written.values), schema)


def _known(
    metadata_table: MetadataTable, written: Layer, names: Sequence[str], files: Mapping[str, Sequence[str]]
) -> dict[tuple[str, str], list[ColumnRange]]:
    """Return the ranges of the columns of current files that have statistics, by partition path and name."""
    prefixes = {stats_key(name, partition): partition for name in names for partition in files}
    selection = Selection(prefixes=[prefix.encode() for prefix in prefixes])
    stored = [
        layer
        for shard in metadata_table.shards(PartitionKind.COLUMN_STATS)
        for layer in layers(metadata_table.storage, shard, metadata_table.visible, selection)
    ]
    length = len(next(iter(prefixes), ""))
    current = {partition: frozenset(found) for partition, found in files.items()}
    known: dict[tuple[str, str], list[ColumnRange]] = {}
    for key, record in merged_records([*stored, written], STATS, merged_stats).items():
        partition, name = prefixes.get(key[:length]), record["fileName"]
        if partition is not None and name in current[partition] and not record["isDeleted"]:
            known.setdefault((partition, name), []).append(stored_range(record))
    return known
