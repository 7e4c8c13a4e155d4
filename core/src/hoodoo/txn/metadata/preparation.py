"""Preparation of a metadata table for a write: checks, and removal of the partitions that hoodoo cannot update."""

from __future__ import annotations

from collections.abc import Collection

from hoodoo.caller import warn_caller
from hoodoo.metadata_table import PartitionKind, kind_of
from hoodoo.metadata_table.creation.choice import requested
from hoodoo.metadata_table.creation.index_definitions import drop_definitions
from hoodoo.metadata_table.maintenance.kept_partitions import is_kept
from hoodoo.metadata_table.maintenance.record_schema import commit_schema
from hoodoo.options import MetadataOptions, NoEffectWarning
from hoodoo.properties import METADATA_TABLE_FOLDER, TableProperties, load_properties, update_properties
from hoodoo.properties.property_keys import INDEX_DEFINITIONS, METADATA_PARTITIONS, METADATA_PARTITIONS_INFLIGHT
from hoodoo.storage import Storage, join
from hoodoo.timeline import Timeline
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import table_lock
from hoodoo.txn.metadata.creation import create_partitions
from hoodoo.txn.metadata.delta_commit import check_current, opened
from hoodoo.txn.metadata.removal import has_metadata_table

__all__ = [
    "IndexDisabled",
    "IndexNotCreated",
    "create_requested",
    "prepare_metadata_table",
    "remove_partitions",
    "unkept_partitions",
]


class IndexDisabled(UserWarning):
    """Warning that a write removes partitions of the metadata table that hoodoo cannot update."""


class IndexNotCreated(UserWarning):
    """Warning that a write does not create partitions of the metadata table that its options request."""


def create_requested(
    storage: Storage, timeline: Timeline, coordination: Coordination, options: MetadataOptions
) -> None:
    """Create the partitions of the metadata table that the options of a write request and the table lacks.

    Without a metadata table the options of indexes have no effect, unless `metadata_table` is true. A warning names the
    requested partitions that are not created.

    Args:
        storage: The table's files.
        timeline: A timeline of the table.
        coordination: The writer's clock and lock.
        options: The options of the write that concern the metadata table.

    Raises:
        CorruptTableError: A file of the table or of its metadata table is damaged or missing.
        UnsupportedTable: The metadata table lacks commits, or has an unsupported version.
        SchemaError: The table lacks a column that the options name.
        LockTimeout: Another writer holds the table's lock for too long.
        CommitError: An interrupted rollback cannot be finished, see `rollback_pending`.
    """
    properties = load_properties(storage)
    choice = requested(options, properties)
    if not options.metadata_table and not has_metadata_table(properties):
        kinds = [*choice.partitions[1:], *(kind for kind, _ in choice.refused)]
        warn_caller(
            f"the options of {', '.join(f'index {kind!s}' for kind in kinds)} have no effect: '{storage.uri}' has no "
            "metadata table, and 'hoodie.metadata.enable' = 'true' creates it",
            NoEffectWarning,
        )
        return
    reasons = [f"'{kind}': {reason}" for kind, reason in choice.refused]
    creation = create_partitions(storage, timeline, coordination, choice)
    if creation.obstacle is not None:
        there = load_properties(storage).metadata_partitions
        names = ", ".join(f"'{kind}'" for kind in choice.partitions if kind not in there)
        reasons.append(f"{names}: {creation.obstacle}; a later write with the same options tries again")
    if reasons:
        stated = "; ".join(reasons)
        warn_caller(
            f"partitions of the metadata table of '{storage.uri}' are not created now, and readers work without them: "
            f"{stated}",
            IndexNotCreated,
        )


def prepare_metadata_table(storage: Storage, timeline: Timeline, coordination: Coordination) -> None:
    """Check that a table's metadata table can be updated, and disable the partitions that hoodoo cannot update.

    Call it before a write or a service begins. A disabled partition is removed as Hudi removes one: from the
    properties, then its definition, then its files. Nothing is done for a table without a metadata table.

    Args:
        storage: The table's files.
        timeline: The timeline of the table.
        coordination: The writer's lock.

    Raises:
        CorruptTableError: A file of the metadata table is missing or damaged.
        UnsupportedTable: The metadata table is missing, lacks commits, or has an unsupported version.
        LockTimeout: Another writer holds the table's lock for too long.
    """
    with table_lock(storage, coordination):
        properties = load_properties(storage)
        if not has_metadata_table(properties):
            return
        unkept = unkept_partitions(storage, properties, timeline.reloaded(storage))
        if unkept:
            remove_partitions(storage, properties, unkept)
    if unkept:
        names = ", ".join(f"'{name}'" for name in unkept)
        noun, them = ("partition", "it") if len(unkept) == 1 else ("partitions", "them")
        warn_caller(
            f"hoodoo cannot keep {noun} {names} of the metadata table of '{storage.uri}' current and removed {them}; "
            f"readers work without {them}; {_how_to_build(unkept)}",
            IndexDisabled,
        )


def unkept_partitions(storage: Storage, properties: TableProperties, timeline: Timeline) -> list[str]:
    """Check a table's metadata table, and return its partitions that hoodoo cannot update.

    Args:
        storage: The table's files.
        properties: The properties of the table; they name a metadata table.
        timeline: The timeline of the table.

    Raises:
        CorruptTableError: A file of the metadata table is missing or damaged.
        UnsupportedTable: The metadata table is missing, lacks commits, or has an unsupported version.
    """
    metadata = opened(storage, properties, timeline)
    check_current(metadata, storage.uri)
    commit_schema(metadata)
    found = []
    for partition in dict.fromkeys((*metadata.partitions, *metadata.inflight)):
        if partition in metadata.inflight or not is_kept(partition, properties):
            found.append(partition)
        else:
            metadata.complete_shards(partition)
    return sorted(found)


def remove_partitions(storage: Storage, properties: TableProperties, partitions: Collection[str]) -> None:
    """Remove partitions of a metadata table: from the properties, then their definitions, then their files.

    Args:
        storage: The table's files; the caller holds the table lock.
        properties: The properties of the table, read under the lock.
        partitions: The names of the partitions to remove.
    """
    changes: dict[str, str] = {}
    for key in (METADATA_PARTITIONS, METADATA_PARTITIONS_INFLIGHT):
        named = [name.strip() for name in (properties.get(key) or "").split(",") if name.strip()]
        if any(name in partitions for name in named):
            changes[key] = ",".join(name for name in named if name not in partitions)
    update_properties(storage, changes)
    drop_definitions(storage, properties.get(INDEX_DEFINITIONS), partitions)
    for partition in partitions:
        storage.delete_tree(join(METADATA_TABLE_FOLDER, partition))


def _how_to_build(partitions: Collection[str]) -> str:
    named = {kind_of(partition) for partition in partitions}
    options = [option for kind, option in _OPTIONS.items() if kind in named]
    with_sql = [kind for kind in (PartitionKind.SECONDARY_INDEX, PartitionKind.EXPRESSION_INDEX) if kind in named]
    ways = []
    if options:
        # hoodoo builds a partition that another writer did not finish, but no statistics that it cannot keep current
        writer = "by Hudi " if PartitionKind.PARTITION_STATS in named else ""
        ways.append(f"a write {writer}with {' and '.join(f'{option}=true' for option in options)}")
    if with_sql:
        ways.append("Hudi's statement CREATE INDEX")
    return f"to build {'it' if len(partitions) == 1 else 'them'} again, use {' and '.join(ways) or 'Hudi'}"


_OPTIONS = {
    PartitionKind.FILES: "hoodie.metadata.enable",
    PartitionKind.COLUMN_STATS: "hoodie.metadata.index.column.stats.enable",
    PartitionKind.PARTITION_STATS: "hoodie.metadata.index.partition.stats.enable",
    PartitionKind.BLOOM_FILTERS: "hoodie.metadata.index.bloom.filter.enable",
    PartitionKind.RECORD_INDEX: "hoodie.metadata.record.index.enable",
}
