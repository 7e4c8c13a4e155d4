"""Creation of partitions of a metadata table, from the files of the table.

The files are read without the table lock. Under the lock the timeline is compared with the one that named these files.
Then the partitions are written one after the other: the delta commit of a partition with its files, the definition of
the index, and finally the property that names the partition. Readers use a partition only if the property names it.
Otherwise the next creation of the partition first removes its files.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from attrs import frozen

from hoodoo.archived_timeline import Archive
from hoodoo.errors import CorruptTableError
from hoodoo.format.partition_metadata import ensure_partition_metadata
from hoodoo.metadata_table import PartitionKind
from hoodoo.metadata_table.creation.choice import IndexChoice
from hoodoo.metadata_table.creation.index_definitions import define, definition_of
from hoodoo.metadata_table.creation.initial_records import InitialRecords
from hoodoo.metadata_table.creation.new_properties import new_properties
from hoodoo.metadata_table.creation.new_shards import first_bases, first_logs, shard_count
from hoodoo.metadata_table.creation.record_layout import new_schema
from hoodoo.metadata_table.instants import FIRST_BUILD
from hoodoo.metadata_table.maintenance.record_schema import commit_schema, with_meta_fields
from hoodoo.metadata_table.maintenance.statistics import IndexedColumns, latest_columns
from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange
from hoodoo.properties import METADATA_TABLE_FOLDER, TableProperties, load_properties, property_keys, update_properties
from hoodoo.properties.java_properties import dump_properties
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.reading.current_keys import current_keys
from hoodoo.storage import Storage, SubfolderStorage, join
from hoodoo.timeline import CommitMetadata, Instant, State, Timeline
from hoodoo.txn.instant_creation import create_early_file
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import TableLock, table_lock
from hoodoo.txn.metadata.delta_commit import check_current, opened
from hoodoo.txn.metadata.new_times import new_time
from hoodoo.txn.metadata.rollbacks import repaired
from hoodoo.txn.rollback.rollback import rollback_pending

__all__ = ["Creation", "create_partitions"]

_ATTEMPTS = 3
"""Number of attempts to read the files; an attempt fails if another writer commits in the meantime."""

_OPERATIONS = {6: "BULK_INSERT", 8: "BULK_INSERT", 9: "BULK_INSERT_PREPPED"}
_FIRST_SUFFIX = 10
"""Last three digits of the time of the first creation in timeline layout 1, after the time of the table's instant."""

_DIGITS = 17


@frozen
class Creation:
    """Result of the creation of partitions.

    Attributes:
        created: The created partitions.
        obstacle: The reason why no partition was created; None if all chosen partitions exist.
    """

    created: tuple[str, ...] = ()
    obstacle: str | None = None


def create_partitions(
    storage: Storage, timeline: Timeline, coordination: Coordination, choice: IndexChoice
) -> Creation:
    """Create the chosen partitions that a metadata table lacks, and first the metadata table if it does not exist.

    Nothing is created while an instant of the table is pending, as in Hudi: its files may become part of the table.
    Pending writes of dead writers are rolled back first.

    Args:
        storage: The table's files.
        timeline: A timeline of the table; it is listed again.
        coordination: The writer's clock and lock.
        choice: The chosen partitions; `choice.refused` is ignored.

    Raises:
        CorruptTableError: A file of the table or of its metadata table is damaged or missing.
        UnsupportedTable: The metadata table lacks commits, or has an unsupported version.
        SchemaError: The table lacks a chosen column.
        LockTimeout: Another writer holds the table's lock for too long.
        CommitError: An interrupted rollback cannot be finished, see `rollback_pending`.
        StorageError: The store failed, or the lock ended before all partitions were created.
    """
    for _ in range(_ATTEMPTS):
        properties = load_properties(storage)
        missing = _missing(properties, choice)
        if not missing:
            return Creation()
        timeline = timeline.reloaded(storage)
        if timeline.pending:
            rollback_pending(storage, timeline, coordination=coordination)
            timeline = timeline.reloaded(storage)
        if timeline.pending:
            return Creation(obstacle=_pending(timeline))
        writer = _Writer.of(storage, properties, timeline, coordination, choice)
        try:
            records = {kind: writer.source.by_group(kind) for kind in missing}
        except CorruptTableError:
            # a clean may have removed a file since the timeline was listed
            if timeline.reloaded(storage).instants == timeline.instants:
                raise
            continue
        with table_lock(storage, coordination) as lock:
            now = load_properties(storage)
            if now.entries == properties.entries and timeline.reloaded(storage).instants == timeline.instants:
                writer.write(records, lock)
                return Creation(tuple(str(kind) for kind in missing))
    return Creation(obstacle=f"other writers committed to the table in each of {_ATTEMPTS} attempts")


def _missing(properties: TableProperties, choice: IndexChoice) -> list[PartitionKind]:
    there = properties.metadata_partitions
    if PartitionKind.FILES not in there:
        return [PartitionKind.FILES, *(kind for kind in choice.partitions if kind is not PartitionKind.FILES)]
    return [kind for kind in choice.partitions if kind not in there]


def _pending(timeline: Timeline) -> str:
    first = timeline.pending[0]
    return f"{first.action} {first.time} is pending, and its files may become part of the table"


@frozen
class _Writer:
    """Writer of new partitions; the caller holds the table lock.

    Attributes:
        source: The records.
        schema: Their Avro schema, without meta fields.
        timeline: The timeline of the table.
        coordination: The writer's clock.
    """

    source: InitialRecords
    schema: str
    timeline: Timeline
    coordination: Coordination

    @classmethod
    def of(
        cls,
        storage: Storage,
        properties: TableProperties,
        timeline: Timeline,
        coordination: Coordination,
        choice: IndexChoice,
    ) -> _Writer:
        schema, metadata = new_schema(properties.version), None
        if PartitionKind.FILES in properties.metadata_partitions:
            metadata = opened(storage, properties, timeline)
            check_current(metadata, storage.uri)
            schema = commit_schema(metadata)
        if metadata is not None and PartitionKind.COLUMN_STATS in properties.metadata_partitions:
            columns = IndexedColumns.load(metadata, TableChange(""))
        else:
            columns = IndexedColumns.chosen(properties, latest_columns(properties, timeline), choice.columns)
        keys = partial(current_keys, storage, properties, timeline)
        records = with_meta_fields(schema, METADATA_TABLE_FOLDER)
        source = InitialRecords(storage, properties, timeline, records, columns, keys, choice.is_partitioned)
        return cls(source, schema, timeline, coordination)

    def write(self, records: Mapping[PartitionKind, Mapping[str, RecordChange]], lock: TableLock) -> None:
        """Write the partitions in their order, and name each in the properties of the table."""
        metadata = self._begun() if PartitionKind.FILES in records else self._repaired()
        for kind, found in records.items():
            self._commit(metadata, kind, found)
            lock.renew()
            self._name(kind)
            metadata = metadata.reloaded()

    def _begun(self) -> Timeline:
        """Remove a metadata table that no reader uses, create the properties of a new one, and return its timeline."""
        storage = self.source.storage
        storage.delete_tree(METADATA_TABLE_FOLDER)
        own = TableProperties(new_properties(self.source.table))
        storage.create(join(METADATA_TABLE_FOLDER, PROPERTIES_FILE), dump_properties(own.entries, ["Properties saved"]))
        # the folder of the timeline does not exist yet
        return Timeline(
            storage,
            (),
            None,
            None,
            layout=own.layout_version,
            folder=join(METADATA_TABLE_FOLDER, own.timeline_folder),
            archive_folder=join(METADATA_TABLE_FOLDER, own.archive_folder),
            is_local=own.timezone == "LOCAL",
            archive=Archive,
        )

    def _repaired(self) -> Timeline:
        """Remove the pending instants of dead writers from the timeline of the metadata table, and return it."""
        metadata = opened(self.source.storage, self.source.table, self.timeline)
        return repaired(metadata, "", self.coordination.clock).metadata

    def _commit(self, timeline: Timeline, kind: PartitionKind, records: Mapping[str, RecordChange]) -> None:
        """Write the files of a partition and its delta commit.

        Args:
            timeline: The timeline of the metadata table.
            kind: The kind of the partition.
            records: Its records, by the group of their shards.
        """
        storage = SubfolderStorage(self.source.storage, METADATA_TABLE_FOLDER)
        instant = Instant(_build_time(self.timeline, timeline), "deltacommit")

        def create(state: State, body: bytes) -> None:
            create_early_file(self.source.storage, timeline.path_of(instant.at(state)), body)

        storage.delete_tree(str(kind))
        create(State.REQUESTED, b"")
        create(State.INFLIGHT, b"")
        stats = []
        for group, found in records.items():
            count = shard_count(kind, len(found.keys), group)
            for path, body in first_logs(kind, count, instant.time, group):
                storage.create(path, body)
            for file in first_bases(kind, count, found, self.source.schema, instant.time, group):
                storage.create(file.path, file.body)
                stats.append(file.stat)
        ensure_partition_metadata(storage, str(kind), instant.time)
        written = {str(kind): tuple(stats)} if stats else {}
        metadata = CommitMetadata(_OPERATIONS[self.source.table.version], written, {"schema": self.schema})
        done = instant
        if timeline.layout > 1:
            time = new_time(self.timeline, timeline, self.coordination.clock())
            done = Instant(instant.time, instant.action, completion_time=time)
        create_early_file(self.source.storage, timeline.path_of(done), metadata.to_bytes(timeline.layout))

    def _name(self, kind: PartitionKind) -> None:
        """Store the definition of an index that has one, and name the partition in the properties of the table."""
        storage, table = self.source.storage, load_properties(self.source.storage)
        building = [name for name in (table.get(property_keys.METADATA_PARTITIONS_INFLIGHT) or "").split(",") if name]
        changes = {
            property_keys.METADATA_PARTITIONS: ",".join(sorted({*table.metadata_partitions, str(kind)})),
            property_keys.METADATA_PARTITIONS_INFLIGHT: ",".join(name for name in building if name != kind),
        }
        is_partitioned = self.source.is_partitioned
        definition = definition_of(kind, table.version, self.source.columns.names, is_partitioned=is_partitioned)
        if definition is not None:
            changes[property_keys.INDEX_DEFINITIONS] = define(storage, table, str(kind), definition)
        update_properties(storage, changes)


def _build_time(table: Timeline, metadata: Timeline) -> str:
    """Return the time of a new creation as Hudi chooses it; no instant of the metadata table has this time.

    In layout 1 it is the time of the last completed instant of the table with a suffix. In layout 2, and in a table
    without instants, it is a small number, which is before all instants.
    """
    taken = {instant.time for instant in metadata.instants}
    number = 0
    if metadata.layout > 1:
        while f"{number:0{_DIGITS}}" in taken:
            number += 1
        return f"{number:0{_DIGITS}}"
    last = max((instant.time for instant in table.completed), default=FIRST_BUILD)
    while f"{last}{_FIRST_SUFFIX + number:03}" in taken:
        number += 1
    return f"{last}{_FIRST_SUFFIX + number:03}"
