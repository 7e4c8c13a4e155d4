"""Delta commits of the metadata table, one for each instant of the table that changes its files.

The delta commit has the time of the table's instant and is completed first. Until the table's instant is completed,
readers ignore the delta commit, since the table has a pending instant of that time.
"""

from __future__ import annotations

from collections.abc import Mapping

from hoodoo.errors import CommitConflict, UnsupportedTable
from hoodoo.format.file_names import is_log_file
from hoodoo.metadata_table import MetadataTable, PartitionKind
from hoodoo.metadata_table.maintenance.kept_partitions import changed_records, is_kept
from hoodoo.metadata_table.maintenance.log_files import Slices, new_logs
from hoodoo.metadata_table.maintenance.record_schema import commit_schema, record_schema
from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange
from hoodoo.metadata_table.missing_commits import missing_commits
from hoodoo.metadata_table.record_groups import WHOLE_TABLE, new_group, shard_count
from hoodoo.properties import METADATA_TABLE_FOLDER, TableProperties
from hoodoo.reading.pending_keys import keys_after
from hoodoo.schema.consistency import columns_of
from hoodoo.storage import Storage, join, name_of
from hoodoo.timeline import CommitMetadata, Instant, State, Timeline, WriteStat
from hoodoo.timeline.commit_metadata import STATEMENT_KEY
from hoodoo.txn.instant_creation import create_early_file
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.metadata.compaction import compact_if_due
from hoodoo.txn.metadata.new_times import new_time
from hoodoo.txn.metadata.rollbacks import repaired

__all__ = ["change_of_commit", "check_current", "keep_current", "opened"]

_OPERATION = "UPSERT_PREPPED"


def opened(storage: Storage, properties: TableProperties, timeline: Timeline) -> MetadataTable:
    """Return the metadata table that the properties name.

    Raises:
        CorruptTableError: Its properties or its timeline are damaged.
        UnsupportedTable: It does not exist, or its version is not supported.
    """
    metadata = MetadataTable.open(storage, properties, timeline)
    if metadata is None:
        raise UnsupportedTable(
            f"'{storage.uri}' has no '{METADATA_TABLE_FOLDER}', which its properties name "
            f"({', '.join(properties.metadata_partitions)}); {REMOVE}",
            code="metadata_table",
        )
    return metadata


def check_current(metadata: MetadataTable, uri: str) -> None:
    """Raise `UnsupportedTable` if the metadata table lacks commits of the table: it cannot become current again."""
    missing = missing_commits(metadata.timeline, metadata.metadata)
    if missing:
        count = "1 commit" if len(missing) == 1 else f"{len(missing)} commits"
        raise UnsupportedTable(
            f"the metadata table of '{uri}' lacks {count} of the table, the last one {missing[-1].time}: another "
            f"writer did not update it; {REMOVE}",
            code="metadata_table",
        )


REMOVE = (
    "set 'hoodie.metadata.enable' to 'false' to remove the metadata table first, as in Hudi; a write with 'true' then "
    "builds it again"
)


def change_of_commit(
    storage: Storage, properties: TableProperties, timeline: Timeline, instant: str, metadata: CommitMetadata
) -> TableChange:
    """Return the change that a commit makes to the table, for the update of the metadata table.

    Args:
        storage: The table's files.
        properties: The properties of the table.
        timeline: The timeline, on which the instant is pending.
        instant: The instant time.
        metadata: The metadata of the commit.

    Returns:
        The change. Its function `present` reads the logs when it is called, with the errors of `keys_after`.
    """
    logs: dict[tuple[str, str], list[str]] = {}
    added: dict[str, dict[str, int]] = {}
    for partition, stats in metadata.write_stats.items():
        for stat in stats:
            if stat.path:
                added.setdefault(partition, {})[name_of(stat.path)] = stat.file_size_in_bytes
                if is_log_file(name_of(stat.path)):
                    logs.setdefault((partition, stat.file_id), []).append(stat.path)
    present = None
    if logs:
        columns = columns_of(metadata.extra_metadata["schema"])
        present = keys_after(storage, properties, timeline, columns, instant, logs)
    return TableChange(
        instant,
        added,
        stats=tuple(metadata.stats()),
        replaced=metadata.replaced or {},
        present=present,
        exact_counts=STATEMENT_KEY not in metadata.extra_metadata,
    )


def keep_current(
    storage: Storage,
    properties: TableProperties,
    timeline: Timeline,
    change: TableChange,
    coordination: Coordination,
    *,
    only_files: bool = False,
) -> str | None:
    """Write and complete the delta commit of a change in the metadata table. The caller holds the table lock.

    Delta commits of dead writers are rolled back first, and so is one that an earlier attempt completed.

    Args:
        storage: The table's files.
        properties: The properties of the table, read under the lock; they name a metadata table.
        timeline: The timeline of the table, listed under the lock; the instant of the change is pending.
        change: The files that the instant adds to the table and removes from it.
        coordination: The writer's clock, and the number of delta commits after which the metadata table is compacted.
        only_files: Whether only the partition `files` gets records, as for a rollback.

    Returns:
        The completion time of the delta commit; None in timeline layout 1.

    Raises:
        CommitConflict: Since the write began, another writer created a partition that hoodoo cannot update.
        CorruptTableError: The metadata table is damaged.
        UnsupportedTable: The metadata table is missing, lacks commits, or has an unsupported version.
        HoodooError: `change.present` failed, with the errors of `keys_after`.
    """
    clock = coordination.clock
    metadata = repaired(opened(storage, properties, timeline), change.instant, clock)
    if not only_files:
        check_current(metadata, storage.uri)
        _check_kept(metadata)
        metadata = compact_if_due(metadata, change.instant, clock, coordination.compact_metadata_after)
    layout = metadata.metadata.layout
    delta = Instant(change.instant, "deltacommit")
    path_of = metadata.metadata.path_of
    create_early_file(storage, path_of(delta.at(State.REQUESTED)), b"")
    create_early_file(storage, path_of(delta.at(State.INFLIGHT)), CommitMetadata(_OPERATION).to_bytes(layout))
    stats = _write_logs(metadata, change, [PartitionKind.FILES] if only_files else metadata.partitions)
    body = CommitMetadata(_OPERATION, stats, {"schema": commit_schema(metadata)}).to_bytes(layout)
    time = None
    if layout > 1:
        time = new_time(timeline, metadata.metadata, clock())
    create_early_file(storage, path_of(Instant(delta.time, delta.action, completion_time=time)), body)
    return time


def _check_kept(metadata: MetadataTable) -> None:
    """Raise `CommitConflict` if another writer has created a partition that the write cannot update."""
    for partition in (*metadata.partitions, *metadata.inflight):
        if not is_kept(partition, metadata.table) or partition in metadata.inflight:
            raise CommitConflict(
                f"another writer created the partition '{partition}' of the metadata table while this write ran, and "
                "hoodoo cannot keep it current; this write is rolled back; run it again"
            )


def _write_logs(
    metadata: MetadataTable, change: TableChange, partitions: tuple[str, ...] | list[PartitionKind]
) -> Mapping[str, tuple[WriteStat, ...]]:
    """Write the logs of the partitions, and return their write stats by partition."""
    storage = metadata.storage
    schema = record_schema(metadata)
    pending = metadata.metadata.pending_compactions() if metadata.metadata.layout == 1 else {}
    slices = Slices(change.instant, metadata.metadata.layout, pending)
    stats: dict[str, tuple[WriteStat, ...]] = {}
    done: dict[str, RecordChange] = {}
    for partition in sorted(partitions):
        if not is_kept(partition, metadata.table):
            continue
        found = metadata.complete_shards(partition)
        written = []
        for group, records in changed_records(partition, metadata, found, change, done).items():
            if group == WHOLE_TABLE:
                done[partition] = records
            shards = [shard for shard in found if shard.group == group]
            if not shards and len(records.keys):
                shards = new_group(group, shard_count(len(records.keys), 1))
            for log in new_logs(str(partition), shards, records, schema, slices):
                storage.create(join(METADATA_TABLE_FOLDER, log.path), log.body)
                written.append(log.stat)
        if written:
            stats[str(partition)] = tuple(written)
    return stats
