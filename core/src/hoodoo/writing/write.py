"""Execution of one write: checks, begin, tasks, and commit or rollback.

A write lists the timeline three times: for the plan and the checks before anything is written, under the lock of its
begin, and under the lock of its commit. When the instant of the write is on the timeline, the first listing may be
outdated: another writer may have committed, and changed the schema or the files. In that case, the checks and the plan
are made again from the second listing. Commits that are completed later are compared with that listing. From then on,
no cleaner removes the files of the plan.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Set
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from attrs import evolve, frozen

from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import CommitConflict, CommitStateUnknown, HoodooError
from hoodoo.filegroup import FileSlice
from hoodoo.format.partition_metadata import PARTITION_METADATA_FILE
from hoodoo.index.index_types import Index
from hoodoo.index.record_index import with_shards
from hoodoo.options import MetadataOptions, Options, WriteOptions
from hoodoo.plugin.installed.catalogue import Catalogue, default_catalogue
from hoodoo.properties import TableProperties, create_properties
from hoodoo.reading import Query, table_schema
from hoodoo.reading import plan as plan_query
from hoodoo.schema.avro_encode import to_avro
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import HOODIE_FOLDER, Storage, listed_at_once, name_of, parent_of
from hoodoo.timeline import CommitMetadata, Instant, Timeline
from hoodoo.txn import (
    Coordination,
    Transaction,
    begin,
    coordination_of,
    drop_metadata_table,
    find_archived,
    find_committed,
    has_metadata_table,
    rollback_pending,
)
from hoodoo.txn.column_ids import keep_column_ids
from hoodoo.txn.held_write import can_keep_lock
from hoodoo.writing.commit import Commit, Timing, commit_from, commit_of, metadata_of
from hoodoo.writing.data_files.returned_files import returned_bytes, store_returned
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.prepare.partition_patterns import matching_partitions
from hoodoo.writing.prepare.prepare import prepare
from hoodoo.writing.prepare.prepared_write import Prepared
from hoodoo.writing.routing.estimates import is_small, record_size, shares_partitions
from hoodoo.writing.routing.located_logs import located_logs
from hoodoo.writing.routing.task_plan import Distribution, SliceRef, TaskPlan
from hoodoo.writing.stages.stage_tasks import stages_of
from hoodoo.writing.statement_metadata import refused_rows
from hoodoo.writing.task_engine import Batch
from hoodoo.writing.tasks.key_collisions import check_origins
from hoodoo.writing.tasks.stored_rows import Splits

__all__ = ["BeforeCommit", "Progress", "Written", "no_progress", "write_batch"]

Progress = Callable[[Transaction], AbstractContextManager[Callable[[], None]]]
BeforeCommit = Callable[[Transaction, CommitMetadata], None]

LOOKUPS_PER_CORE = 2


@frozen
class Written:
    """Result of a write.

    Attributes:
        commit: The result of the commit, or of the commit of an earlier attempt; without a time if mode `ignore` wrote
            nothing.
        timeline: The timeline after the commit; None if mode `ignore` wrote nothing.
        coordination: The clock, heartbeat and lock of the write, for inline services.
    """

    commit: Commit
    timeline: Timeline | None = None
    coordination: Coordination = Coordination()


def no_progress(transaction: Transaction) -> AbstractContextManager[Callable[[], None]]:
    """Return a context manager whose function ignores the progress: the default of `write_batch`."""
    return nullcontext(lambda: None)


def write_batch(
    batch: Batch,
    storage: Storage,
    options: Options,
    mode: str,
    *,
    catalogue: Catalogue | None = None,
    progress: Progress = no_progress,
    before_commit: BeforeCommit | None = None,
) -> Written:
    """Write the rows of a batch.

    Write nothing if mode `ignore` finds a table, or if an earlier attempt with the same write id was committed.

    Args:
        batch: The rows; they are evaluated once.
        storage: The table's files.
        options: The parsed options, of all groups in `prepare.GROUPS`.
        mode: append, overwrite, errorifexists or ignore.
        catalogue: The catalogue to look plugins up in; by default that of the installed plugins.
        progress: Function that returns a context manager, which is entered once the write has begun. Its value is a
            function that is called periodically.
        before_commit: Called when all files are written and those of failed attempts deleted, before the commit;
            an error that it raises rolls the write back.

    Raises:
        HoodooError: The write failed. The rows of the table are unchanged, and the data files of the write are deleted,
            at the latest by the next write.
        CommitStateUnknown: The store does not confirm the commit.
    """
    catalogue = catalogue or default_catalogue()
    options = options.replaced(*batch.marks)
    check = partial(prepare, storage, batch.schema, options, catalogue=catalogue)
    listing = listed_at_once(storage)
    prepared = prepare(listing, batch.schema, options, mode, catalogue=catalogue)
    if prepared is None:
        return Written(Commit(storage.uri, None, "ignore"))
    coordination = coordination_of(storage, prepared.properties, options, catalogue, listing)
    if prepared.timeline is not None:
        timeline = evolve(prepared.timeline, storage=storage)
        prepared = evolve(prepared, timeline=timeline)
        done = _earlier_attempt(timeline, prepared.concurrency.write_id)
        if done is not None:
            return Written(commit_of(storage.uri, timeline, done), timeline, coordination)
        if prepared.drops_metadata:
            drop_metadata_table(storage, coordination)
        elif has_metadata_table(prepared.properties):
            # a write without a metadata table does not import its modules
            from hoodoo.txn.metadata.preparation import prepare_metadata_table

            prepare_metadata_table(storage, timeline, coordination)
    else:
        _create(storage, prepared, coordination)
    try:
        _create_indexes(storage, prepared, options[MetadataOptions], coordination)
        again = partial(check, mode=_mode_of_existing(mode))
        return Written(*_attempt(storage, prepared, batch, progress, before_commit, again, coordination), coordination)
    except CommitStateUnknown:
        raise
    except BaseException as error:
        if prepared.timeline is None:
            _remove_created_table(storage, prepared, coordination, error)
        raise


def _earlier_attempt(timeline: Timeline, write_id: str | None, seen: Set[Instant] = frozenset()) -> Instant | None:
    """Return the commit of an earlier attempt; None without one. Commits in `seen` are skipped, unless archived."""
    if not write_id:
        return None
    return find_committed(timeline, write_id, seen) or find_archived(timeline, write_id)


def _mode_of_existing(mode: str) -> str:
    """Return the mode for repeated checks of a write that has begun, so that its table exists."""
    return "overwrite" if mode == "overwrite" else "append"


def _create(storage: Storage, prepared: Prepared, coordination: Coordination) -> None:
    """Create the table, under the provider's lock if there is one. If the lock is not obtained, write no file."""
    lock = coordination.lock
    with nullcontext() if lock is None else lock.held():
        create_properties(storage, prepared.properties)


def _create_indexes(storage: Storage, prepared: Prepared, options: MetadataOptions, coordination: Coordination) -> None:
    """Create the metadata table and the indexes that the options request and the table lacks."""
    indexes = (
        options.index_column_stats,
        options.index_partition_stats,
        options.index_bloom_filters,
        options.index_record_keys,
        options.index_partitioned_record_keys,
    )
    if options.metadata_table is False or not (options.metadata_table or any(indexes)):
        return
    # a write without a metadata table does not import its modules
    from hoodoo.txn.metadata.preparation import create_requested

    timeline = prepared.timeline or load_timeline(storage, TableProperties(prepared.properties))
    create_requested(storage, timeline, coordination, options)


def _attempt(
    storage: Storage,
    prepared: Prepared,
    batch: Batch,
    progress: Progress,
    before_commit: BeforeCommit | None,
    check: Callable[..., Prepared | None],
    coordination: Coordination,
) -> tuple[Commit, Timeline]:
    """Begin, run and commit; roll back after any failure. `check` prepares the write again, from a known timeline."""
    started = time.perf_counter()
    operation = prepared.operation
    action = "replacecommit" if operation.replaces else "deltacommit" if prepared.table.appends else "commit"
    properties = TableProperties(prepared.properties)
    planned = prepared.timeline or load_timeline(storage, properties)
    # Spark chooses the number of tasks of a bulk insert, so that no number limits the bytes that they return
    limited = operation.name != "bulk_insert"
    keeps_lock = can_keep_lock(storage, coordination) and (batch.runs_here or (limited and is_small(planned, action)))
    begun = begin(
        storage,
        planned,
        action,
        operation.name.upper(),
        evolve(coordination, keeps_lock=keeps_lock),
        properties=properties,
        repairs=prepared.timeline is not None,
    )
    with begun as transaction:
        timeline = transaction.take_current_timeline()
        if timeline.instants != planned.instants:
            # commits that began or ended since the search in `write_batch`
            known = frozenset() if prepared.timeline is None else frozenset(planned.commits)
            done = _earlier_attempt(timeline, prepared.concurrency.write_id, known)
            if done is not None:
                return commit_of(storage.uri, timeline, done), timeline
            prepared = check(known=timeline) or prepared
            if prepared.operation.replaces != operation.replaces:
                raise CommitConflict(
                    f"another writer made the first commit of the table at '{storage.uri}' after this write "
                    "was planned; repeat the write to replace the rows of that commit"
                )
        batch, slices = batch.at(timeline), prepared.slices
        seen = [] if operation.overwrites else slices
        if seen and prepared.operation.looks_up:
            prepared = evolve(prepared, index=with_shards(prepared.index, storage, timeline))
        plan = _plan(prepared, transaction, timeline, seen, batch)
        statuses: list[FileStatus] = []
        if prepared.options.partitions_to_delete is None:
            splits = _splits(storage, prepared, timeline, seen, plan)
            with progress(transaction) as tick:
                statuses = batch.run(plan, splits=splits, arrival=prepared.options.arrival, progress=tick)
            check_origins(statuses)
            store_returned(storage, statuses)
        replaced = _replaced(prepared, slices, statuses) if operation.replaces else None
        seconds = time.perf_counter() - started
        # rows of a separate look-up stage carry no times
        index_seconds = None if stages_of(plan).looks_up_first else sum(s.index_seconds for s in statuses)
        metadata = metadata_of(
            operation.name,
            statuses,
            prepared.table.avro_schema,
            replaced,
            write_id=prepared.concurrency.write_id,
            timing=Timing(seconds, index_seconds),
        )
        table, change = prepared.table, prepared.change
        before = None if change is None else to_avro(table_schema(timeline, properties), table.name)
        ids = keep_column_ids(storage, timeline, transaction.time, table.avro_schema, change, before)
        given = {**_given_metadata(prepared.options), **refused_rows(batch.statement, statuses), **ids}
        metadata = evolve(metadata, extra_metadata={**given, **metadata.extra_metadata})
        if before_commit is not None:
            transaction.reconcile(metadata.stats())
            before_commit(transaction, metadata)
        index = prepared.index
        new_keys = index.new_keys if operation.looks_up else None
        located = located_logs(plan, statuses)
        instant = transaction.commit(metadata, bucketed=index.uses_buckets, new_keys=new_keys, located=located)
    if instant.time != transaction.time:
        # another attempt at the same write was faster
        timeline = timeline.reloaded()
        return commit_of(storage.uri, timeline, instant), timeline
    return commit_from(storage.uri, instant.time, metadata), transaction.committed_timeline()


def _given_metadata(options: WriteOptions) -> dict[str, str]:
    """Return the entries of the commit metadata that the user gives, as texts."""
    return {name: str(value) for name, value in (options.commit_metadata or {}).items()}


def _replaced(prepared: Prepared, slices: list[FileSlice], statuses: list[FileStatus]) -> dict[str, tuple[str, ...]]:
    """Return the file ids that the write replaces, by partition.

    They are those in all partitions, in the partitions to delete, or in the partitions of the rows and of the option
    `partitions_to_overwrite`.
    """
    groups: dict[str, list[str]] = {}
    for file_slice in slices:
        groups.setdefault(file_slice.partition, []).append(file_slice.file_id)
    if prepared.operation.name == "insert_overwrite_table":
        gone = set(groups)
    elif prepared.options.partitions_to_delete is not None:
        gone = matching_partitions(prepared.options.partitions_to_delete, groups)
    else:
        partitions = {status.partition for status in statuses}
        gone = partitions.union(prepared.options.partitions_to_overwrite or ()) & set(groups)
    return {partition: tuple(groups[partition]) for partition in sorted(gone)}


def _plan(
    prepared: Prepared, transaction: Transaction, timeline: Timeline, slices: list[FileSlice], batch: Batch
) -> TaskPlan:
    cores = batch.parallelism()
    shares = shares_partitions(prepared.operation, timeline, slices, cores)
    config = evolve(prepared.keys.config, instant=transaction.time, seed=secrets.token_hex(16))
    # each task that looks keys up in a shared partition reads all keys of the partition
    bins = LOOKUPS_PER_CORE * cores if shares else batch.tasks()
    return TaskPlan(
        table=prepared.table,
        keys=evolve(prepared.keys, config=config),
        rule=prepared.rule,
        index=prepared.index,
        operation=evolve(prepared.operation, statement=batch.statement),
        files=prepared.files,
        instant=transaction.time,
        slices=_by_slot(slices, timeline, prepared.index),
        distribution=Distribution(
            bins=bins,
            searchers=cores,
            shares_partitions=shares,
            record_size=record_size(timeline, prepared.files.bloom),
        ),
        returned_bytes=0 if batch.runs_here or not transaction.keeps_lock else returned_bytes(bins),
    )


def _splits(
    storage: Storage, prepared: Prepared, timeline: Timeline, slices: list[FileSlice], plan: TaskPlan
) -> Splits:
    """Return the splits of slices with logs, by partition and file id; {} if tasks read no stored rows.

    Tasks read stored rows if rows of one key are merged across partitions, or if a statement compares stored rows.
    """
    moves, statement = prepared.spans_partitions and prepared.operation.merges, plan.operation.statement
    compared = None if statement is None else statement.compared
    if (not moves and compared is None) or not any(file_slice.logs for file_slice in slices):
        return {}
    properties = TableProperties(prepared.properties)
    columns = [RECORD_KEY, *table_schema(timeline, properties).names]
    if compared is not None:
        wanted = {*plan.stored_keys.columns.names, *compared}
        columns = [name for name in columns if name == RECORD_KEY or name in wanted]
    splits = plan_query(storage, properties, timeline, Query(columns=columns)).splits
    return {(split.partition, split.file_id): split for split in splits if not split.is_plain}


def _by_slot(slices: list[FileSlice], timeline: Timeline, index: Index) -> dict[str, dict[int, SliceRef]]:
    """Return references to the slices, by partition and slot."""
    by_slot: dict[str, dict[int, SliceRef]] = {}
    for file_slice in sorted(slices, key=lambda s: (s.partition, s.file_id)):
        slots = by_slot.setdefault(file_slice.partition, {})
        slots[index.slot_of(file_slice.file_id, len(slots))] = SliceRef.of(file_slice, timeline)
    return by_slot


def _remove_created_table(
    storage: Storage, prepared: Prepared, coordination: Coordination, error: BaseException
) -> None:
    """Remove a table that this write created, unless another writer writes or wrote to it."""
    try:
        timeline = load_timeline(storage, TableProperties(prepared.properties))
        rollback_pending(storage, timeline, coordination=coordination)
        timeline = timeline.reloaded()
        if timeline.commits or timeline.pending:
            return
        folders: dict[str, list[str]] = {}
        for file in storage.walk():
            folders.setdefault(parent_of(file.path), []).append(file.path)
        for files in folders.values():
            # a folder with other files belongs to another table
            if [name_of(file) for file in files] == [PARTITION_METADATA_FILE]:
                storage.delete(files[0])
        storage.delete_tree(HOODIE_FOLDER)
    except HoodooError as failure:
        error.add_note(f"the table that this write created at {storage.uri} could not be removed: {failure}")
