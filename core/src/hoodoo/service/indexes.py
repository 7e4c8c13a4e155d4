"""Creation and removal of indexes: partitions of the metadata table of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import CommitConflict, OptionError, UnsupportedTable
from hoodoo.metadata_table import PartitionKind
from hoodoo.options import ConcurrencyOptions, MetadataOptions, Options, StorageOptions, parse
from hoodoo.plugin import default_catalogue
from hoodoo.properties import TableProperties, load_properties
from hoodoo.service.clean import prepare_service
from hoodoo.storage import Storage
from hoodoo.txn import Coordination, coordination_of, drop_metadata_table, rollback_pending, table_lock

__all__ = ["TableIndexes", "create_indexes", "created_indexes", "drop_indexes"]

_PARTITIONED = "partitioned_record_index"
"""Name by which a partitioned record index is created; its partition is called `record_index` nevertheless."""


class TableIndexes:
    """Methods of a table that create and remove indexes."""

    _storage: Storage
    properties: TableProperties

    def create_indexes(self, *names: str, **options: Any) -> tuple[str, ...]:
        """Create indexes in the metadata table, and first the metadata table if it does not exist.

        Args:
            names: `files`, `column_stats`, `bloom_filters`, `record_index`, `partition_stats`; and
                `partitioned_record_index` for a partitioned record index, which is then listed as `record_index`.
            options: `index_columns` for the columns of `column_stats`; and the options of concurrency control that a
                write accepts: `lock_provider` and others, or Hudi's keys.

        Returns:
            The created indexes. Create another `Table` to use them.

        Raises:
            OptionError: No name is given, a name is unknown or given twice, the table has the index, or an option is
                unknown or invalid.
            UnsupportedTable: The table cannot have one of the indexes, its base files are not Parquet, or its metadata
                table lacks commits.
            CommitConflict: An instant of the table is pending, or other writers committed during each attempt.
            SchemaError: The table lacks a column.
            LockTimeout: The lock of the table was not acquired in time.
            UnknownPlugin: The lock provider is not installed.
            CorruptTableError: A file is damaged.
        """
        given = parse(options, (ConcurrencyOptions, MetadataOptions, StorageOptions))
        columns = given[MetadataOptions].index_columns
        return create_indexes(self._storage, names, columns, coordination=self._coordinated(given))

    def drop_indexes(self, *names: str, **options: Any) -> tuple[str, ...]:
        """Remove indexes from the metadata table; if none remains, remove the metadata table itself.

        Args:
            names: The names, as `hoodoo table indexes` shows them.
            options: The options of concurrency control that a write accepts.

        Returns:
            The removed indexes. Create another `Table` to see the change.

        Raises:
            OptionError: No name is given, the table lacks a named index, an index that remains needs a named one, or an
                option is unknown or invalid.
            CommitConflict: An instant of the table is pending.
            LockTimeout: The lock of the table was not acquired in time.
            UnknownPlugin: The lock provider is not installed.
        """
        given = parse(options, (ConcurrencyOptions, StorageOptions))
        return drop_indexes(self._storage, names, coordination=self._coordinated(given))

    def _coordinated(self, given: Options) -> Coordination:
        return coordination_of(self._storage, self.properties, given, default_catalogue())


def create_indexes(
    storage: Storage, names: Sequence[str], columns: Sequence[str] = (), *, coordination: Coordination
) -> tuple[str, ...]:
    """Create partitions of a table's metadata table, and first the metadata table if it does not exist.

    Args:
        storage: The table's files.
        names: Names of the partitions: `files`, `column_stats`, `bloom_filters`, `record_index`, `partition_stats`; or
            `partitioned_record_index` for a record index that is partitioned.
        columns: The columns of `column_stats`; () for the first 32 columns of the table, and before table version 8 for
            all.
        coordination: The writer's clock and lock.

    Returns:
        The created partitions, in the order of their creation. `files` comes first if the table had no metadata table.

    Raises:
        OptionError: No name is given, or a name is unknown, is given twice, or is that of a partition that exists.
        UnsupportedTable: The table cannot have one of the partitions, its base files are not Parquet, or its metadata
            table lacks commits.
        CommitConflict: An instant of the table is pending, or other writers committed during each attempt.
        SchemaError: The table lacks a column.
        CorruptTableError: A file of the table is damaged or missing.
        LockTimeout: Another writer holds the table's lock for too long.
    """
    # an import of `hoodoo.Table` does not import the modules that create a metadata table
    from hoodoo.metadata_table.creation.choice import IndexChoice
    from hoodoo.txn.metadata.creation import create_partitions

    properties = load_properties(storage)
    is_partitioned = _PARTITIONED in names
    kinds = _kinds(names)
    for kind in kinds:
        if kind in properties.metadata_partitions:
            raise OptionError(f"the table at '{storage.uri}' has the index '{kind}'; drop it to create it again")
    choice = IndexChoice.of(kinds, properties, tuple(columns), is_partitioned=is_partitioned)
    if choice.refused:
        kind, reason = choice.refused[0]
        raise UnsupportedTable(
            f"the table at '{storage.uri}' cannot have the index '{kind}': {reason}", code="metadata_table"
        )
    timeline = load_timeline(storage, properties)
    prepare_service(storage, properties, timeline, coordination)
    creation = create_partitions(storage, timeline, coordination, choice)
    if creation.obstacle is not None:
        raise CommitConflict(
            f"no index of '{storage.uri}' was created: {creation.obstacle}; try again when no other write is running"
        )
    return creation.created


def drop_indexes(storage: Storage, names: Sequence[str], *, coordination: Coordination) -> tuple[str, ...]:
    """Remove partitions of a table's metadata table; if none remains, remove the metadata table itself.

    Args:
        storage: The table's files.
        names: Names of the partitions, of any kind.
        coordination: The writer's clock and lock.

    Returns:
        The removed partitions.

    Raises:
        OptionError: No name is given, the table lacks a partition, or a remaining partition needs a named one.
        CommitConflict: An instant of the table is pending: its writer may write to the partition.
        LockTimeout: Another writer holds the table's lock for too long.
    """
    from hoodoo.txn.metadata.preparation import remove_partitions

    timeline = load_timeline(storage, load_properties(storage))
    if timeline.pending:
        rollback_pending(storage, timeline, coordination=coordination)
    with table_lock(storage, coordination):
        properties = load_properties(storage)
        _check_removal(storage.uri, properties, names)
        pending = timeline.reloaded(storage).pending
        if pending:
            raise CommitConflict(
                f"no index of '{storage.uri}' was dropped: {pending[0].action} {pending[0].time} is pending, and its "
                "writer may write to the index; try again when it is completed"
            )
        rest = set(properties.metadata_partitions) - set(names)
        if rest:
            remove_partitions(storage, properties, names)
    if not rest:
        drop_metadata_table(storage, coordination)
    return tuple(names)


def created_indexes() -> dict[str, PartitionKind]:
    """Return the kind of each index that hoodoo can create, by the name with which it is created."""
    from hoodoo.metadata_table.creation.choice import CREATED

    return {**{str(kind): kind for kind in CREATED}, _PARTITIONED: PartitionKind.RECORD_INDEX}


def _kinds(names: Sequence[str]) -> list[PartitionKind]:
    known = created_indexes()
    kinds: dict[PartitionKind, str] = {}
    for name in names:
        if name not in known:
            raise OptionError(f"hoodoo cannot create an index '{name}'; it creates {', '.join(known)}")
        if earlier := kinds.get(known[name]):
            raise OptionError(f"'{earlier}' and '{name}' name the same index; name it once")
        kinds[known[name]] = name
    if not names:
        raise OptionError(f"no index is named; name at least one of {', '.join(known)}")
    return list(kinds)


def _check_removal(uri: str, properties: TableProperties, names: Sequence[str]) -> None:
    there = properties.metadata_partitions
    if not names:
        raise OptionError(f"no index is named; the table at '{uri}' has {', '.join(there) or 'no index'}")
    for name in names:
        if name not in there:
            raise OptionError(f"the table at '{uri}' has no index '{name}'; it has {', '.join(there) or 'no index'}")
    rest = [name for name in there if name not in names]
    if PartitionKind.FILES in names and rest:
        needing = f"the indexes {', '.join(rest)} need" if len(rest) > 1 else f"the index {rest[0]} needs"
        raise OptionError(f"{needing} '{PartitionKind.FILES}'; drop {'them' if len(rest) > 1 else 'it'} too")
    if PartitionKind.COLUMN_STATS in names and PartitionKind.PARTITION_STATS in rest:
        raise OptionError(
            f"the index '{PartitionKind.PARTITION_STATS}' needs '{PartitionKind.COLUMN_STATS}'; drop it too"
        )
