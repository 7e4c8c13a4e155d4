"""First records of a partition of a metadata table, computed from the files of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

import pyarrow as pa
from attrs import define

from hoodoo.format.bloom.key_footer import stored_filter
from hoodoo.format.file_names import is_log_file
from hoodoo.format.parquet.parquet_reader import open_base_file
from hoodoo.metadata_table.content.hashed_keys import bloom_key, partition_identifier, stats_key
from hoodoo.metadata_table.content.records import FILES
from hoodoo.metadata_table.creation.table_files import TableFiles
from hoodoo.metadata_table.maintenance.bloom_records import filter_datum
from hoodoo.metadata_table.maintenance.changed_files.merge_kind import MergeKind, merge_kind
from hoodoo.metadata_table.maintenance.changed_files.parallel import in_threads
from hoodoo.metadata_table.maintenance.record_index_records import KeysOfGroup, location_records
from hoodoo.metadata_table.maintenance.record_schema import encoded_records
from hoodoo.metadata_table.maintenance.statistics import (
    ColumnRange,
    IndexedColumns,
    RangeRecords,
    combined,
    file_ranges,
)
from hoodoo.metadata_table.maintenance.table_change import RecordChange
from hoodoo.metadata_table.metadata_table import ALL_PARTITIONS
from hoodoo.metadata_table.partition_kind import PartitionKind
from hoodoo.metadata_table.record_groups import WHOLE_TABLE, group_of
from hoodoo.properties import TableProperties
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["InitialRecords", "SliceKeys"]

SliceKeys = Callable[[], Sequence[KeysOfGroup]]
"""Function that returns the record keys of the rows of each current file slice."""

_PARTITION_LIST, _FILE_LIST, _COLUMNS, _PARTITIONS = 1, 2, 3, 6


@define(eq=False)
class InitialRecords:
    """First records of the partitions of a metadata table.

    Attributes:
        storage: The table's files.
        table: The properties of the table.
        timeline: The timeline of the table, without pending instants.
        schema: The Avro schema of the records, including meta fields.
        columns: The columns with statistics.
        keys: Function that returns the record keys of the table, for a record index.
        is_partitioned: Whether the record index is partitioned.
    """

    storage: Storage
    table: TableProperties
    timeline: Timeline
    schema: str
    columns: IndexedColumns
    keys: SliceKeys
    is_partitioned: bool = False

    @cached_property
    def files(self) -> TableFiles:
        """Return the committed files of the table, and its current slices."""
        return TableFiles.of(self.storage, self.timeline)

    def of(self, kind: PartitionKind) -> RecordChange:
        """Return the records of a partition.

        Files are read in parallel by threads.

        Raises:
            CorruptTableError: A file is missing or damaged.
            UnsupportedTable: A file or a log block cannot be read.
            SchemaError: A column has several types in its files, and none contains the others.
        """
        return _FUNCTIONS[kind](self)

    def by_group(self, kind: PartitionKind) -> Mapping[str, RecordChange]:
        """Return the records of a partition by the group of their shards; errors are those of `of`."""
        if kind is PartitionKind.RECORD_INDEX and self.is_partitioned:
            return _of_keys_by_group(self)
        return {WHOLE_TABLE: self.of(kind)}

    @cached_property
    def _ranges(self) -> Mapping[str, list[ColumnRange]]:
        """Return the ranges of the indexed columns by file path, without logs that `column_stats_records` omits."""
        has_logs = merge_kind(self.table) is MergeKind.WHOLE
        paths = [self.files.path_of(item) for item in self.files.paths() if has_logs or not is_log_file(item[1])]
        return dict(zip(paths, in_threads(self._file_ranges, paths, self.storage), strict=True))

    def _file_ranges(self, path: str) -> list[ColumnRange]:
        return file_ranges(self.storage, path, self.columns, None, without_partial=True)


def _of_files(source: InitialRecords) -> RecordChange:
    """Return a record with the list of partitions, and for each partition a record with its files."""
    sizes = source.files.sizes
    records = {ALL_PARTITIONS: {"type": _PARTITION_LIST, FILES: _entries({partition_identifier(p): 0 for p in sizes})}}
    for partition, names in sizes.items():
        records[partition_identifier(partition)] = {"type": _FILE_LIST, FILES: _entries(names)}
    keys = pa.array([key.encode() for key in records], pa.large_binary())
    return RecordChange(keys, encoded_records(source.schema, records.values()))


def _entries(sizes: Mapping[str, int]) -> dict[str, dict[str, int | bool]]:
    return {name: {"size": size, "isDeleted": False} for name, size in sizes.items()}


def _of_columns(source: InitialRecords) -> RecordChange:
    """Return the statistics of each indexed column in each file."""
    encoder = RangeRecords(source.schema, _COLUMNS)
    return _change(
        (stats_key(found.column, partition, name), encoder.encode(name, found, is_tight=False))
        for partition, name in source.files.paths()
        for found in source._ranges.get(source.files.path_of((partition, name)), ())
    )


def _of_partitions(source: InitialRecords) -> RecordChange:
    """Return the statistics of each indexed column in the current files of each partition."""
    encoder = RangeRecords(source.schema, _PARTITIONS)
    current = source.files.current()
    known = source._ranges
    # the log of a partial update has no statistics, and its values are part of the partition
    unknown = [path for paths in current.values() for path in paths if not known.get(path)]
    found = in_threads(lambda path: file_ranges(source.storage, path, source.columns, None), unknown, source.storage)
    read = dict(zip(unknown, found, strict=True))
    cells = []
    for partition, paths in current.items():
        ranges: dict[str, list[ColumnRange]] = {}
        for path in paths:
            for part in known.get(path) or read[path]:
                ranges.setdefault(part.column, []).append(part)
        for column, parts in ranges.items():
            cells.append((stats_key(column, partition), encoder.encode(partition, combined(parts), is_tight=True)))
    return _change(cells)


def _of_blooms(source: InitialRecords) -> RecordChange:
    """Return the bloom filter of each base file that has one in its footer, with the time of the last instant."""
    instant = max((instant.time for instant in source.timeline.completed), default="")

    def encoded(item: tuple[str, str]) -> tuple[str, bytes] | None:
        with open_base_file(source.storage, source.files.path_of(item)) as file:
            found = stored_filter(file)
        if found is None:
            return None
        return bloom_key(*item), filter_datum(source.schema, *found, instant)

    return _change(filter(None, in_threads(encoded, list(source.files.base_files()), source.storage)))


def _of_keys(source: InitialRecords) -> RecordChange:
    """Return the location of each record key."""
    return location_records(source.keys(), source.schema, source.timeline)


def _of_keys_by_group(source: InitialRecords) -> Mapping[str, RecordChange]:
    """Return the locations of record keys by the group of their shards: one group for each partition of the table."""
    parts: dict[str, list[KeysOfGroup]] = {}
    keys = source.keys()
    for part in keys:
        parts.setdefault(group_of(part.group[0]), []).append(part)
    return {group: location_records(found, source.schema, source.timeline) for group, found in parts.items()}


def _change(cells: Iterator[tuple[str, bytes]] | Sequence[tuple[str, bytes]]) -> RecordChange:
    found = dict(cells)
    keys = pa.array([key.encode() for key in found], pa.large_binary())
    return RecordChange(keys, pa.array(list(found.values()), pa.large_binary()))


_FUNCTIONS: Mapping[PartitionKind, Callable[[InitialRecords], RecordChange]] = {
    PartitionKind.FILES: _of_files,
    PartitionKind.COLUMN_STATS: _of_columns,
    PartitionKind.PARTITION_STATS: _of_partitions,
    PartitionKind.BLOOM_FILTERS: _of_blooms,
    PartitionKind.RECORD_INDEX: _of_keys,
}
