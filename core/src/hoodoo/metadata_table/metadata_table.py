"""Metadata table of a table, with the contents of its partitions as of the table's timeline."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
from attrs import define

from hoodoo.archived_timeline import Archive
from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.format.avro.numpy_arrays import integers
from hoodoo.format.bloom.bloom_filter import BloomFilter
from hoodoo.metadata_table.content.hashed_keys import bloom_key, column_prefix, partition_identifier
from hoodoo.metadata_table.content.record_locations import record_locations
from hoodoo.metadata_table.content.records import (
    BLOOM,
    FILES,
    Record,
    file_entries,
    merged_files,
    merged_records,
)
from hoodoo.metadata_table.content.secondary_keys import secondary_entries, secondary_prefix
from hoodoo.metadata_table.content.statistics import ColumnStats, layered_stats
from hoodoo.metadata_table.instants import VisibleInstants
from hoodoo.metadata_table.layers import Layer, Selection, latest, layers
from hoodoo.metadata_table.partition_kind import PartitionKind
from hoodoo.metadata_table.record_groups import is_partitioned
from hoodoo.metadata_table.shards import Shard, check_complete, shard_of_keys, shards
from hoodoo.properties import METADATA_TABLE_FOLDER, TableProperties, parse_properties
from hoodoo.properties.property_keys import METADATA_PARTITIONS_INFLIGHT
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.storage import Missing, Storage, join
from hoodoo.timeline import Timeline

__all__ = ["ALL_PARTITIONS", "MetadataTable"]

ALL_PARTITIONS = "__all_partitions__"
"""Key of the record with the partitions of the table."""


@define(eq=False)
class MetadataTable:
    """Metadata table of a table. Its content is read on demand.

    Methods that read it raise `UnsupportedTable` for a log block or a codec that hoodoo does not support.

    Attributes:
        storage: The table's files.
        table: The properties of the table.
        timeline: The timeline of the table.
        metadata: The timeline of the metadata table.
    """

    storage: Storage
    table: TableProperties
    timeline: Timeline
    metadata: Timeline

    @classmethod
    def open(cls, storage: Storage, table: TableProperties, timeline: Timeline) -> MetadataTable | None:
        """Return the metadata table; None if the table has none.

        Args:
            storage: The table's files.
            table: The properties of the table.
            timeline: The timeline of the table, loaded before the call.

        Raises:
            CorruptTableError: The properties of the metadata table or its timeline are damaged.
            UnsupportedTable: The version of the metadata table is not supported.
        """
        path = f"{METADATA_TABLE_FOLDER}/{PROPERTIES_FILE}"
        try:
            properties = TableProperties(parse_properties(storage.read(path)), path)
        except Missing:
            return None
        if not 6 <= properties.version <= 9:
            raise UnsupportedTable(
                f"the metadata table '{METADATA_TABLE_FOLDER}' has version {properties.version}; versions 6, 8 and 9 "
                "are supported; remove the metadata table and create it again",
                code="metadata_table",
            )
        metadata = Timeline.load(
            storage,
            properties.layout_version,
            f"{METADATA_TABLE_FOLDER}/{properties.timeline_folder}",
            f"{METADATA_TABLE_FOLDER}/{properties.archive_folder}",
            is_local=properties.timezone == "LOCAL",
            archive=Archive,
        )
        return cls(storage, table, timeline, metadata)

    @property
    def partitions(self) -> tuple[str, ...]:
        """Return the names of the partitions of the metadata table that readers use."""
        return self.table.metadata_partitions

    @property
    def inflight(self) -> tuple[str, ...]:
        """Return the names of the partitions of the metadata table that are being built."""
        names = (self.table.get(METADATA_PARTITIONS_INFLIGHT) or "").split(",")
        return tuple(name.strip() for name in names if name.strip())

    @cached_property
    def visible(self) -> VisibleInstants:
        """Return the instants whose changes are visible."""
        return VisibleInstants.of(self.metadata, self.timeline)

    @cached_property
    def newest_schema(self) -> str | None:
        """Return the schema of the records in the newest commit that has one, without meta fields; None if none has."""
        for commit in reversed(self.metadata.commits):
            schema = self.metadata.commit_metadata(commit).extra_metadata.get("schema")
            if schema:
                return schema
        return None

    @cached_property
    def schema_of_files(self) -> str | None:
        """Return the schema, with meta fields, of the newest records in the partition `files`; None without records."""
        found = [layer.schema for layer in self._layers_of_keys(PartitionKind.FILES, [ALL_PARTITIONS])]
        return next((schema for schema in reversed(found) if schema is not None), None)

    def shards(self, partition: str) -> list[Shard]:
        """Return the shards of a partition, without an error for missing ones."""
        return shards(self.storage, METADATA_TABLE_FOLDER, partition, self.visible)

    def complete_shards(self, partition: str) -> list[Shard]:
        """Return the shards of a partition; only a partitioned record index may have none.

        Raises:
            CorruptTableError: A shard is missing.
        """
        found = self.shards(partition)
        if found or partition != PartitionKind.RECORD_INDEX or not is_partitioned(found, self.storage, self.table):
            check_complete(found, METADATA_TABLE_FOLDER, partition)
        return found

    def files(self) -> dict[str, dict[str, int]]:
        """Return the size in bytes of each file of the table, by partition path and file name.

        Raises:
            CorruptTableError: A file of the partition `files` is missing or damaged, or the list of partitions lacks a
                partition with files.
        """
        found = merged_records(self._layers(PartitionKind.FILES, Selection()), FILES, merged_files)
        return self._by_path(found)

    def files_of(self, partitions: Collection[str]) -> dict[str, dict[str, int]]:
        """Return the result of `files` for the given partition paths only; a path without a record is left out.

        The list of partitions is not read. A `CorruptTableError` is raised if a file of the partition `files` is
        missing or damaged.
        """
        keys = [partition_identifier(partition) for partition in partitions]
        found = merged_records(self._layers_of_keys(PartitionKind.FILES, keys), FILES, merged_files)
        return {_path(key): file_entries(record) for key, record in found.items() if key in keys}

    def partition_paths(self) -> list[str]:
        """Return the partition paths of the table, sorted. Errors are those of `files_of`."""
        found = merged_records(self._layers_of_keys(PartitionKind.FILES, [ALL_PARTITIONS]), FILES, merged_files)
        return sorted(map(_path, file_entries(found.get(ALL_PARTITIONS, {}))))

    def column_stats(self, columns: Collection[str] | None = None) -> list[ColumnStats]:
        """Return the statistics of columns in files that are not deleted.

        Args:
            columns: Names of the columns, with dotted paths for nested fields; None for all.

        Raises:
            CorruptTableError: A file of the partition is missing or damaged.
        """
        return self._stats(PartitionKind.COLUMN_STATS, columns)

    def partition_stats(self, columns: Collection[str] | None = None) -> list[ColumnStats]:
        """Return the statistics of columns in partitions; arguments and errors as for `column_stats`."""
        return self._stats(PartitionKind.PARTITION_STATS, columns)

    def expression_stats(self, index: str) -> list[ColumnStats]:
        """Return the statistics in an expression index, which are those of the values of the expression.

        Args:
            index: Name of the partition of the index.

        Raises:
            CorruptTableError: A file of the partition is missing or damaged.
        """
        return self._stats(index, None)

    def record_locations(self, keys: Collection[str] | pa.Array | None = None) -> pa.Table:
        """Return the locations of record keys, see `record_locations.LOCATIONS`.

        Args:
            keys: The record keys, or an array (`large_binary`) with each key once; None for all. A key without a
                location has no row.

        Raises:
            CorruptTableError: A file of the record index is missing or damaged.
        """
        partition = PartitionKind.RECORD_INDEX
        if keys is None:
            return record_locations(self._latest(self.complete_shards(partition), Selection()))
        if not isinstance(keys, pa.Array):
            keys = pa.array([key.encode() for key in sorted(set(keys))], pa.large_binary())
        return record_locations([layer for part in self._by_shard(partition, keys) for layer in latest(part)])

    def secondary_entries(self, index: str, values: Collection[str | None] | None = None) -> pa.Table:
        """Return the entries of a secondary index, see `secondary_keys.ENTRIES`.

        Args:
            index: Name of the partition of the index.
            values: The values to find, as text, with None for null; None instead of a collection for all entries.

        Raises:
            CorruptTableError: A file of the index is missing or damaged.
        """
        prefixes = None if values is None else [secondary_prefix(value) for value in values]
        # the versions of an index differ in the part of the key that determines the shard
        return secondary_entries(self._latest(self.complete_shards(index), Selection(prefixes=prefixes)))

    def bloom_filters(self, files: Collection[tuple[str, str]]) -> dict[tuple[str, str], BloomFilter]:
        """Return the bloom filters of base files; a file without one is left out.

        Args:
            files: Partition path and name of each file.

        Raises:
            CorruptTableError: A file of the partition is missing or damaged, or a filter cannot be decoded.
        """
        keys = {bloom_key(*file): file for file in files}
        found = merged_records(self._layers_of_keys(PartitionKind.BLOOM_FILTERS, list(keys)), BLOOM, _newer)
        blooms = {}
        for key, file in keys.items():
            record = found.get(key)
            if record is None or record["isDeleted"]:
                continue
            bloom = BloomFilter.from_text(record["bloomFilter"], record["type"])
            if bloom is None:
                path = join(METADATA_TABLE_FOLDER, PartitionKind.BLOOM_FILTERS)
                raise CorruptTableError(
                    f"'{path}' has a bloom filter of '{file[1]}' that cannot be read; remove the metadata table and "
                    "create it again",
                    file=path,
                )
            blooms[file] = bloom
        return blooms

    def _by_path(self, found: Mapping[str, Record]) -> dict[str, dict[str, int]]:
        """Return the files of all listed partitions."""
        listed = {_path(name) for name in file_entries(found.get(ALL_PARTITIONS, {}))}
        files = {_path(key): file_entries(record) for key, record in found.items() if key != ALL_PARTITIONS}
        unlisted = sorted(path for path, names in files.items() if names and path not in listed)
        if unlisted:
            path = join(METADATA_TABLE_FOLDER, PartitionKind.FILES)
            raise CorruptTableError(
                f"'{path}' has files of partition '{unlisted[0]}', which its list of partitions lacks; remove the "
                "metadata table and create it again",
                file=path,
            )
        return {path: files.get(path, {}) for path in sorted(listed)}

    def _stats(self, partition: str, columns: Collection[str] | None) -> list[ColumnStats]:
        prefixes = None if columns is None else [column_prefix(column) for column in columns]
        return layered_stats(self._layers(partition, Selection(prefixes=prefixes)))

    def _layers(self, partition: str, selection: Selection) -> list[Layer]:
        return [
            layer
            for shard in self.complete_shards(partition)
            for layer in layers(self.storage, shard, self.visible, selection)
        ]

    def _layers_of_keys(self, partition: str, keys: Sequence[str]) -> list[Layer]:
        encoded = pa.array([key.encode() for key in keys], pa.large_binary())
        return [layer for part in self._by_shard(partition, encoded) for layer in part]

    def _latest(self, found: Sequence[Shard], selection: Selection) -> list[Layer]:
        return [layer for shard in found for layer in latest(layers(self.storage, shard, self.visible, selection))]

    def _by_shard(self, partition: str, keys: pa.Array) -> list[list[Layer]]:
        """Return the layers of each shard that may have some of the keys (`large_binary`), with these keys."""
        found = self.complete_shards(partition)
        groups: dict[str, list[Shard]] = {}
        for shard in found:
            groups.setdefault(shard.group, []).append(shard)
        parts = []
        # in a partitioned record index each partition of the table may have the key
        for members in groups.values():
            numbers = shard_of_keys(keys.cast(pa.large_string()), len(members))
            for number in np.unique(numbers).tolist():
                mine = keys.take(integers(np.flatnonzero(numbers == number)))
                parts.append(layers(self.storage, members[number], self.visible, Selection(keys=mine)))
        return parts


def _newer(older: Record, newer: Record) -> Record:
    return newer


def _path(identifier: str) -> str:
    return "" if identifier == "." else identifier
