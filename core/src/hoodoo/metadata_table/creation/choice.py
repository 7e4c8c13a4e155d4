"""Choice of the partitions of a metadata table to create."""

from __future__ import annotations

from collections.abc import Collection

from attrs import frozen

from hoodoo.metadata_table.maintenance.partition_stats_records import obstacle as statistics_obstacle
from hoodoo.metadata_table.partition_kind import PartitionKind
from hoodoo.options import MetadataOptions
from hoodoo.properties import TableProperties

__all__ = ["CREATED", "IndexChoice", "obstacle", "partitioned_obstacle", "requested"]

CREATED = (
    PartitionKind.FILES,
    PartitionKind.COLUMN_STATS,
    PartitionKind.BLOOM_FILTERS,
    PartitionKind.RECORD_INDEX,
    PartitionKind.PARTITION_STATS,
)
"""Partitions that hoodoo can create, in the order in which it creates them."""

_FIRST_VERSION = 8
"""The table version from which on a metadata table has statistics of partitions."""

_FIRST_PARTITIONED = 9
"""The table version from which on a record index may be partitioned."""


@frozen
class IndexChoice:
    """Partitions that a metadata table is to have, and options of their creation.

    Attributes:
        partitions: The partitions, in the order of `CREATED`.
        columns: The columns with statistics; () for the first 32 columns that can have statistics, or before table
            version 8 for all of them.
        refused: Requested partitions that the table cannot have, each with the reason.
        is_partitioned: Whether a new record index has file groups of its own for each partition of the table.
    """

    partitions: tuple[PartitionKind, ...]
    columns: tuple[str, ...] = ()
    refused: tuple[tuple[PartitionKind, str], ...] = ()
    is_partitioned: bool = False

    @classmethod
    def of(
        cls,
        kinds: Collection[PartitionKind],
        table: TableProperties,
        columns: tuple[str, ...] = (),
        *,
        is_partitioned: bool = False,
    ) -> IndexChoice:
        """Return the choice of some partitions; `files`, which a metadata table always has, is added.

        Partitions that the table cannot have are in `refused`.

        Args:
            kinds: The kinds of the requested partitions.
            table: The properties of the table.
            columns: The columns with statistics, as in `IndexChoice`.
            is_partitioned: Whether a new record index is partitioned.
        """
        reasons = {kind: _reason(kind, kinds, table) for kind in CREATED if kind in kinds}
        if is_partitioned and PartitionKind.RECORD_INDEX not in table.metadata_partitions:
            record_index = PartitionKind.RECORD_INDEX
            reasons[record_index] = reasons.get(record_index) or partitioned_obstacle(table)
        possible = {PartitionKind.FILES, *(kind for kind, reason in reasons.items() if reason is None)}
        refused = tuple((kind, reason) for kind, reason in reasons.items() if reason is not None)
        return cls(tuple(kind for kind in CREATED if kind in possible), columns, refused, is_partitioned)


def requested(options: MetadataOptions, table: TableProperties) -> IndexChoice:
    """Return the partitions that are requested by the options of a write.

    Statistics of columns include statistics of partitions, if the table can have them and the options do not exclude
    them, as in Hudi. If both record indexes are requested, the partitioned one is created, as in Hudi.

    Args:
        options: The options of the write about the metadata table.
        table: The properties of the table.
    """
    given = {
        PartitionKind.COLUMN_STATS: options.index_column_stats,
        PartitionKind.BLOOM_FILTERS: options.index_bloom_filters,
        PartitionKind.RECORD_INDEX: options.index_record_keys or options.index_partitioned_record_keys,
        PartitionKind.PARTITION_STATS: options.index_partition_stats,
    }
    if options.index_partition_stats is None and options.index_column_stats:
        given[PartitionKind.PARTITION_STATS] = obstacle(PartitionKind.PARTITION_STATS, table) is None
    kinds = [kind for kind, wanted in given.items() if wanted]
    return IndexChoice.of(kinds, table, options.index_columns, is_partitioned=options.index_partitioned_record_keys)


def obstacle(kind: PartitionKind, table: TableProperties) -> str | None:
    """Return the reason why a table cannot have a partition, as a clause; None if it can.

    Args:
        kind: The kind of the partition.
        table: The properties of the table.
    """
    if kind is PartitionKind.RECORD_INDEX and not table.populate_meta_fields:
        return "the rows of the table have no meta columns with their keys"
    if kind is not PartitionKind.PARTITION_STATS:
        return None
    if table.version < _FIRST_VERSION:
        return f"statistics of partitions need table version {_FIRST_VERSION} or later, not {table.version}"
    if not table.partition_by:
        return "the table has no partitions"
    return statistics_obstacle(table)


def partitioned_obstacle(table: TableProperties) -> str | None:
    """Return the reason why a table cannot have a partitioned record index, as `obstacle` does."""
    if table.version < _FIRST_PARTITIONED:
        return f"a partitioned record index needs table version {_FIRST_PARTITIONED} or later, not {table.version}"
    return None if table.partition_by else "the table has no partitions"


def _reason(kind: PartitionKind, kinds: Collection[PartitionKind], table: TableProperties) -> str | None:
    known = {*kinds, *table.metadata_partitions}
    if kind is PartitionKind.PARTITION_STATS and PartitionKind.COLUMN_STATS not in known:
        return f"statistics of partitions need '{PartitionKind.COLUMN_STATS}', which neither exists nor is requested"
    return obstacle(kind, table)
