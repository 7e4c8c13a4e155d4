"""Partitions without rows that match a filter, according to `partition_stats`. Their files are not examined.

The statistics of a partition lack files that were written before a column was indexed. Therefore a range is used only
if it covers as many values as the range of a meta column, which is indexed from the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from hoodoo.metadata_table import ColumnStats, MetadataTable, PartitionKind
from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.properties import TableProperties
from hoodoo.reading.indexed.column_ranges import ColumnRanges, ranged_columns
from hoodoo.reading.indexed.filter_tree import Node
from hoodoo.reading.indexed.possible_results import may_match
from hoodoo.schema.meta_columns import COMMIT_TIME
from hoodoo.table_rules.reader_rule import read_rule
from hoodoo.timeline import Timeline

__all__ = ["partitions_without_rows"]

_COMPACTIONS = ("compaction", "logcompaction")


def partitions_without_rows(metadata: MetadataTable, node: Node | None, table: pa.Schema) -> frozenset[str]:
    """Return the paths of the partitions in which no row matches a filter, according to their statistics.

    The result applies to a query of the current table. It is empty if the statistics cannot be used.

    Args:
        metadata: A current metadata table.
        node: The structure of the filter; None for an unknown one.
        table: The columns of the table, including meta columns.

    Raises:
        CorruptTableError: The partition `partition_stats` is damaged.
        PluginError: The rule of a merge-on-read table is not installed (`UnknownPlugin`) or cannot be used.
        UnsupportedTable: A log block of the metadata table, or the merger of a merge-on-read table, is unknown.
    """
    names = ranged_columns(node, metadata.table, table)
    if not names or not _describes_rows(metadata.partitions, metadata.table, metadata.timeline):
        return frozenset()
    by_column: dict[str, dict[str, ColumnStats]] = {}
    for one in metadata.partition_stats([*names, COMMIT_TIME]):
        by_column.setdefault(one.column, {})[one.file] = one
    whole = by_column.get(COMMIT_TIME, {})
    paths = sorted(whole)
    ranges = {name: _ranges(table.field(name).type, paths, by_column.get(name, {}), whole) for name in names}
    excluded = ~may_match(node, ranges, len(paths))
    return frozenset(paths[place] for place in np.flatnonzero(excluded).tolist())


def _describes_rows(partitions: Sequence[str], properties: TableProperties, timeline: Timeline) -> bool:
    """Return whether the statistics of partitions include all values of rows."""
    if PartitionKind.PARTITION_STATS not in partitions or not properties.populate_meta_fields:
        return False
    if properties.table_type != "MERGE_ON_READ":
        return True
    # while a compaction is pending, Hudi leaves out the base files that are older than it
    is_pending = any(instant.action in _COMPACTIONS for instant in timeline.pending)
    return not is_pending and read_rule(properties, default_catalogue()).whole_versions


def _ranges(
    type_: pa.DataType, paths: Sequence[str], stats: Mapping[str, ColumnStats], whole: Mapping[str, ColumnStats]
) -> ColumnRanges:
    """Return the range of a column in each partition; it has no bounds if the statistics lack values."""
    known = [stats.get(path) for path in paths]
    return ColumnRanges.of_stats(
        type_,
        [one if one is not None and one.values == whole[one.file].values else None for one in known],
    )
