"""File slices that may have rows of a query, by the indexes of the metadata table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from hoodoo.filegroup import FileSlice
from hoodoo.metadata_table import MetadataTable, PartitionKind
from hoodoo.metadata_table.index_definitions import source_columns
from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.reading.indexed.column_ranges import ColumnRanges, ranged_columns
from hoodoo.reading.indexed.filter_tree import Node
from hoodoo.reading.indexed.indexed_storage import IndexedStorage
from hoodoo.reading.indexed.possible_results import may_match
from hoodoo.reading.indexed.wanted_keys import key_columns, wanted_keys
from hoodoo.table_rules.reader_rule import read_rule

__all__ = ["FOLDERS", "kept_slices"]

FOLDERS = "folders"
"""Value of `Plan.way` if the files were found by listing the folders."""

_MOST_KEYS = 10_000
"""Maximum number of keys for which the record index is read; more keys are in most file groups."""

_MOST_VALUES = 100
"""Maximum number of values for which a secondary index is read, because each value is a separate search."""


def kept_slices(
    storage: IndexedStorage,
    slices: Sequence[FileSlice],
    node: Node | None,
    table: pa.Schema,
    *,
    is_now: bool,
) -> tuple[Sequence[FileSlice], str]:
    """Return the slices that may have rows that match a filter, and a description of the indexes used.

    Args:
        storage: The table's files, as a current metadata table lists them.
        slices: The file slices that the query would read without indexes.
        node: The structure of the filter; None for all rows, or for an unknown filter.
        table: The columns of the table, including meta columns.
        is_now: Whether the query reads the current table; the locations of keys apply only then.

    Raises:
        CorruptTableError: An index is damaged.
        PluginError: Logs must be merged, and the table's rule is not installed (`UnknownPlugin`) or cannot be used.
        UnsupportedTable: A log block of the metadata table, or the merger of a table with logs, is unknown.
    """
    metadata = storage.metadata
    way = f"{len(slices)} file slice{'' if len(slices) == 1 else 's'} by files"
    if storage.left_out:
        count = len(storage.left_out)
        way += f", without {count} partition{'' if count == 1 else 's'} by partition_stats"
    if node is None or not slices:
        return slices, way
    groups, index = _located(storage, node, table) if is_now else (None, "")
    if groups is not None:
        slices = [one for one in slices if (one.partition, one.file_id) in groups]
        way += f", {len(slices)} of them by {index}"
    if slices and PartitionKind.COLUMN_STATS in metadata.partitions:
        before = len(slices)
        slices = _by_statistics(metadata, slices, node, table)
        if len(slices) < before:
            way += f", {len(slices)} of them by column_stats"
    return slices, way


def _located(storage: IndexedStorage, node: Node, table: pa.Schema) -> tuple[frozenset[tuple[str, str]] | None, str]:
    """Return the file groups of rows that match a filter, and the index used; None and "" if none can be used."""
    metadata = storage.metadata
    if PartitionKind.RECORD_INDEX not in metadata.partitions:
        return None, ""
    keys = wanted_keys(node, key_columns(metadata.table, table))
    if keys is not None and len(keys) <= _MOST_KEYS:
        return storage.groups_of_keys(keys), PartitionKind.RECORD_INDEX
    indexes = [name for name in metadata.partitions if name.startswith(PartitionKind.SECONDARY_INDEX)]
    definitions = source_columns(storage, metadata.table) if indexes else {}
    for index in indexes:
        columns = definitions.get(index, ())
        if len(columns) != 1 or columns[0] not in table.names:
            continue
        values = wanted_keys(node, {columns[0]: table.field(columns[0]).type}, has_nulls=True)
        if values is not None and len(values) <= _MOST_VALUES:
            groups = storage.groups_of_values(index, values, _MOST_KEYS)
            if groups is not None:
                return groups, index
    return None, ""


def _by_statistics(
    metadata: MetadataTable, slices: Sequence[FileSlice], node: Node, table: pa.Schema
) -> Sequence[FileSlice]:
    """Return the slices whose statistics do not exclude a row that matches a filter.

    Slices with logs are left out only if the rule declares `whole_versions`: only then is each value of a merged row
    also in a file of the slice, and within its statistics.
    """
    names = ranged_columns(node, metadata.table, table)
    if not names:
        return slices
    is_kept = np.zeros(len(slices), bool)
    if any(one.logs for one in slices) and not read_rule(metadata.table, default_catalogue()).whole_versions:
        is_kept = np.array([bool(one.logs) for one in slices], bool)
    candidates = [one for one, kept in zip(slices, is_kept.tolist(), strict=True) if not kept]
    stats = metadata.column_stats(names)
    ranges = {
        name: ColumnRanges.of(table.field(name).type, candidates, (one for one in stats if one.column == name))
        for name in names
    }
    is_kept[~is_kept] = may_match(node, ranges, len(candidates))
    return [one for one, kept in zip(slices, is_kept.tolist(), strict=True) if kept]
