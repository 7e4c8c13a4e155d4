"""Preparation of a metadata table for a write: checks, and the removal of partitions that hoodoo cannot keep."""

from __future__ import annotations

import json
from collections.abc import Collection

from hoodoo.caller import warn_caller
from hoodoo.metadata_table import FOLDER, PartitionKind, kind_of
from hoodoo.metadata_table.maintenance.kept_partitions import is_kept
from hoodoo.metadata_table.maintenance.record_schema import commit_schema
from hoodoo.metadata_table.shards import check_complete
from hoodoo.properties import TableProperties, load_properties, update_properties
from hoodoo.properties.property_keys import INDEX_DEFINITIONS, METADATA_PARTITIONS, METADATA_PARTITIONS_INFLIGHT
from hoodoo.storage import Missing, Storage, join
from hoodoo.timeline import Timeline
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import table_lock
from hoodoo.txn.metadata.delta_commit import check_current, opened
from hoodoo.txn.metadata.removal import has_metadata_table

__all__ = ["IndexDisabled", "prepare_metadata_table", "unkept_partitions"]


class IndexDisabled(UserWarning):
    """Warning that a write removes partitions of the metadata table that hoodoo cannot keep current."""


def prepare_metadata_table(storage: Storage, timeline: Timeline, coordination: Coordination) -> None:
    """Check that the metadata table of a table can be kept, and disable the partitions that cannot.

    Call it before a write or a service begins. A disabled partition is removed as Hudi removes one: from the
    properties, then its definition, then its files.

    Args:
        storage: The table's files.
        timeline: The timeline of the table.
        coordination: The writer's lock.

    Raises:
        CorruptTableError: A part of the metadata table is missing or damaged.
        UnsupportedTable: The metadata table is missing, lacks commits, or has an unsupported version.
    """
    with table_lock(storage, coordination):
        properties = load_properties(storage)
        if not has_metadata_table(properties):
            return
        unkept = unkept_partitions(storage, properties, timeline.reloaded(storage))
        if unkept:
            _disable(storage, properties, unkept)
    if unkept:
        names = ", ".join(f"'{name}'" for name in unkept)
        noun, them = ("partition", "it") if len(unkept) == 1 else ("partitions", "them")
        warn_caller(
            f"hoodoo cannot keep {noun} {names} of the metadata table of '{storage.uri}' current and removed {them}; "
            f"readers work without {them}, and {_how_to_build(unkept)}",
            IndexDisabled,
        )


def unkept_partitions(storage: Storage, properties: TableProperties, timeline: Timeline) -> list[str]:
    """Return the partitions of a table's metadata table that hoodoo cannot keep, after checks of the others.

    Args:
        storage: The table's files.
        properties: The properties of the table; they name a metadata table.
        timeline: The timeline of the table.

    Raises:
        CorruptTableError: A part of the metadata table is missing or damaged.
        UnsupportedTable: The metadata table is missing, lacks commits, or has an unsupported version.
    """
    metadata = opened(storage, properties, timeline)
    check_current(metadata, storage.uri)
    commit_schema(metadata)
    found = []
    for partition in dict.fromkeys((*metadata.partitions, *metadata.inflight)):
        if partition in metadata.inflight or not is_kept(partition, properties):
            found.append(partition)
            continue
        shards = metadata.shards(partition)
        if any(shard.group for shard in shards):
            # the function returns no partition of the table for a key
            found.append(partition)
        else:
            check_complete(shards, FOLDER, partition)
    return sorted(found)


def _disable(storage: Storage, properties: TableProperties, partitions: Collection[str]) -> None:
    changes: dict[str, str] = {}
    for key in (METADATA_PARTITIONS, METADATA_PARTITIONS_INFLIGHT):
        named = [name.strip() for name in (properties.get(key) or "").split(",") if name.strip()]
        if any(name in partitions for name in named):
            changes[key] = ",".join(name for name in named if name not in partitions)
    update_properties(storage, changes)
    _drop_definitions(storage, properties.get(INDEX_DEFINITIONS), partitions)
    for partition in partitions:
        storage.delete_tree(join(FOLDER, partition))


def _drop_definitions(storage: Storage, path: str | None, partitions: Collection[str]) -> None:
    """Remove the definitions of indexes from their file, which may not exist."""
    if not path:
        return
    try:
        document = json.loads(storage.read(path))
    except (Missing, ValueError):
        # without readable definitions there is nothing to remove
        return
    definitions = document.get("indexDefinitions") or {}
    kept = {name: value for name, value in definitions.items() if name not in partitions}
    if len(kept) < len(definitions):
        storage.replace(path, json.dumps({**document, "indexDefinitions": kept}, ensure_ascii=False).encode())


def _how_to_build(partitions: Collection[str]) -> str:
    named = {kind_of(partition) for partition in partitions}
    options = [option for kind, option in _OPTIONS.items() if kind in named]
    with_sql = [kind for kind in (PartitionKind.SECONDARY_INDEX, PartitionKind.EXPRESSION_INDEX) if kind in named]
    ways = []
    if options:
        ways.append(f"a write by Hudi with {' and '.join(f'{option}=true' for option in options)}")
    if with_sql:
        ways.append("Hudi's statement CREATE INDEX")
    return f"{' or '.join(ways) or 'Hudi'} builds {'it' if len(partitions) == 1 else 'them'} again"


_OPTIONS = {
    PartitionKind.FILES: "hoodie.metadata.enable",
    PartitionKind.COLUMN_STATS: "hoodie.metadata.index.column.stats.enable",
    PartitionKind.PARTITION_STATS: "hoodie.metadata.index.partition.stats.enable",
    PartitionKind.BLOOM_FILTERS: "hoodie.metadata.index.bloom.filter.enable",
    PartitionKind.RECORD_INDEX: "hoodie.metadata.record.index.enable",
}
