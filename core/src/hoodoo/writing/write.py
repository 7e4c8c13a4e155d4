"""One write from beginning to end: check, begin, run the tasks, commit; or leave the table as it was.

What a write checks before it begins may be out of date once its instant is on the timeline: another writer may have
committed, and changed the schema or the files. The checks are made again then, by the timeline of that moment, which
is also what later commits of others are compared with. From that moment on no cleaner removes the files of the plan.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from attrs import evolve, frozen

from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import CommitStateUnknown, HoodooError
from hoodoo.filegroup import FileSlice
from hoodoo.format.bloom import BloomShape
from hoodoo.options import Options
from hoodoo.plugin.catalog.catalog import Catalogue, default_catalogue
from hoodoo.properties import TableProperties, create_properties
from hoodoo.reading import Query, Split, table_schema
from hoodoo.reading import plan as plan_query
from hoodoo.schema.avro_encode import to_avro
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage, name_of, parent_of
from hoodoo.timeline import CommitMetadata, Timeline
from hoodoo.txn import (
    Coordination,
    Transaction,
    begin,
    coordination_of,
    drop_metadata_table,
    find_committed,
    rollback_pending,
)
from hoodoo.txn.conflicts import NewKeys
from hoodoo.writing.commit import Commit, commit_from, commit_of, metadata_of
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.prepare.partition_patterns import matching_partitions
from hoodoo.writing.prepare.prepare import prepare
from hoodoo.writing.prepare.prepared_write import Prepared
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan
from hoodoo.writing.task_engine import Batch
from hoodoo.writing.tasks.key_collisions import check_origins

__all__ = ["BeforeCommit", "Progress", "Written", "no_progress", "write_batch"]

Progress = Callable[[Transaction], AbstractContextManager[Callable[[], None]]]
BeforeCommit = Callable[[Transaction, CommitMetadata], None]

REPLACING = ("insert_overwrite", "insert_overwrite_table", "delete_partition")
TASKS_PER_CORE = 2
RECENT_COMMITS = 10
TELLING_BYTES = 1024 * 1024


@frozen
class Written:
    """The result of a write.

    Attributes:
        commit: The commit.
        timeline: A timeline for its services to start from, older than the commit; None where mode `ignore` wrote
            nothing.
        coordination: The clock, heartbeat and lock of the write, for these services.
    """

    commit: Commit
    timeline: Timeline | None = None
    coordination: Coordination = Coordination()


def no_progress(transaction: Transaction) -> AbstractContextManager[Callable[[], None]]:
    """Shows nothing."""
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

    Args:
        batch: The rows; they are evaluated once.
        storage: The table's files.
        options: What was given, of all `GROUPS`.
        mode: append, overwrite, errorifexists or ignore.
        catalogue: Where plugins are looked up.
        progress: Entered once the write has begun; what it gives is called now and then.
        before_commit: Called when all files are written, those of failed attempts are gone, and nothing is committed;
            what it raises rolls the write back.

    Raises:
        HoodooError: The reason. The table reads as before, and no data file of this write is left.
        CommitStateUnknown: The store does not confirm the commit.
    """
    catalogue = catalogue or default_catalogue()
    check = partial(prepare, storage, batch.schema, options, catalogue=catalogue)
    prepared = check(mode)
    if prepared is None:
        return Written(Commit(storage.uri, None, "ignore"))
    coordination = coordination_of(storage, prepared.properties, options, catalogue)
    if prepared.timeline is not None:
        timeline, write_id = prepared.timeline, prepared.concurrency.write_id
        done = find_committed(timeline, write_id) if write_id else None
        if done is not None:
            return Written(commit_of(storage.uri, timeline, done), timeline, coordination)
        if prepared.drops_metadata:
            drop_metadata_table(storage, coordination)
        rollback_pending(storage, timeline, coordination=coordination)
    else:
        _create(storage, prepared, coordination)
    try:
        again = partial(check, mode=_again(mode))
        return Written(*_attempt(storage, prepared, batch, progress, before_commit, again, coordination), coordination)
    except CommitStateUnknown:
        raise
    except BaseException as error:
        if prepared.timeline is None:
            _forget(storage, prepared, coordination, error)
        raise


def _again(mode: str) -> str:
    """Return the mode in which a write that has begun is checked: its table exists by then."""
    return "overwrite" if mode == "overwrite" else "append"


def _create(storage: Storage, prepared: Prepared, coordination: Coordination) -> None:
    """Create the table, under the lock of the provider: where that cannot be had, no file is written."""
    lock = coordination.lock
    with nullcontext() if lock is None else lock.held():
        create_properties(storage, prepared.properties)


def _attempt(
    storage: Storage,
    prepared: Prepared,
    batch: Batch,
    progress: Progress,
    before_commit: BeforeCommit | None,
    check: Callable[..., Prepared | None],
    coordination: Coordination,
) -> tuple[Commit, Timeline]:
    """Begin, run and commit; roll back after any failure. `check` prepares the write again, by a known timeline."""
    started = time.perf_counter()
    operation = prepared.write.operation
    replaces = operation in REPLACING
    action = "replacecommit" if replaces else "deltacommit" if prepared.appends else "commit"
    properties = TableProperties(prepared.properties)
    planned = prepared.timeline or load_timeline(storage, properties)
    with begin(storage, planned, action, operation.upper(), coordination, properties=properties) as transaction:
        timeline = transaction.take_current_timeline()
        if timeline.instants != planned.instants:
            prepared = check(known=timeline) or prepared
        slices = prepared.slices
        seen = [] if operation in ("insert_overwrite", "insert_overwrite_table") else slices
        plan = _plan(storage, prepared, transaction.time, timeline, seen, batch.parallelism())
        shared = plan.spans or _is_shared(prepared, timeline, seen, batch)
        statuses: list[FileStatus] = []
        if prepared.write.partitions_to_delete is None:
            with progress(transaction) as tick:
                statuses = batch.run(plan, shared=shared, arrival=prepared.write.arrival, progress=tick)
            check_origins(statuses)
        schema = to_avro(prepared.schema, prepared.table_name)
        replaced = _replaced(prepared, slices, statuses) if replaces else None
        seconds = time.perf_counter() - started
        write_id = prepared.concurrency.write_id
        # rows that are looked up in a stage of their own carry no times
        index = None if shared else sum(status.index_seconds for status in statuses)
        metadata = metadata_of(
            operation, statuses, schema, replaced, write_id=write_id, seconds=seconds, index_seconds=index
        )
        if before_commit is not None:
            transaction.reconcile(metadata.stats())
            before_commit(transaction, metadata)
        new_keys: NewKeys | None = "table" if prepared.is_global else "partition"
        if prepared.buckets or not plan.looks_up:
            new_keys = None
        instant = transaction.commit(metadata, bucketed=bool(prepared.buckets), new_keys=new_keys)
    if instant.time != transaction.time:
        # another attempt at the same write was faster
        return commit_of(storage.uri, timeline.reloaded(), instant), timeline
    return commit_from(storage.uri, instant.time, metadata), timeline


def _replaced(prepared: Prepared, slices: list[FileSlice], statuses: list[FileStatus]) -> dict[str, tuple[str, ...]]:
    """The file groups that the new ones stand for, by partition: all, or those of the partitions that rows came for."""
    groups: dict[str, list[str]] = {}
    for file_slice in slices:
        groups.setdefault(file_slice.partition, []).append(file_slice.file_id)
    if prepared.write.operation == "insert_overwrite_table":
        gone = set(groups)
    elif prepared.write.partitions_to_delete is not None:
        gone = matching_partitions(prepared.write.partitions_to_delete, groups)
    else:
        gone = {status.partition for status in statuses} & set(groups)
    return {partition: tuple(groups[partition]) for partition in sorted(gone)}


def _plan(
    storage: Storage, prepared: Prepared, instant: str, timeline: Timeline, slices: list[FileSlice], cores: int
) -> TaskPlan:
    plan = TaskPlan(
        uri=storage.uri,
        instant=instant,
        operation=_task_operation(prepared.write.operation),
        schema=prepared.schema,
        keygen=prepared.keygen,
        keys=evolve(prepared.keys, instant=instant, seed=secrets.token_hex(16)),
        rule=prepared.rule,
        slices=_by_slot(slices, timeline, prepared.buckets),
        bins=TASKS_PER_CORE * cores,
        buckets=prepared.buckets,
        bucket_by=prepared.bucket_by,
        max_file_size=prepared.files.max_file_size,
        small_file_limit=prepared.files.small_file_limit,
        compression=prepared.files.compression,
        record_size=_record_size(timeline, prepared.bloom),
        table_name=prepared.table_name,
        avro_schema=to_avro(prepared.schema, prepared.table_name),
        combines=prepared.write.combine_before_insert,
        dup_policy=prepared.dup_policy,
        appends=prepared.appends,
        log_format=prepared.files.log_format,
        layout=timeline.layout,
        storage_options=storage.options,
        prunes=prepared.index.endswith("bloom"),
        bloom=prepared.bloom,
        event_time=prepared.event_time,
        key_collisions=prepared.write.allow_key_collisions,
    )
    if not prepared.is_global or not (plan.looks_up or plan.combines):
        return plan
    splits = _merged_splits(storage, prepared, timeline, slices) if plan.merges else {}
    return evolve(plan, spans=True, moves=prepared.moves, searchers=cores, splits=splits)


def _merged_splits(
    storage: Storage, prepared: Prepared, timeline: Timeline, slices: list[FileSlice]
) -> dict[tuple[str, str], Split]:
    """How the slices with logs are read whose rows may move."""
    if not any(file_slice.logs for file_slice in slices):
        return {}
    properties = TableProperties(prepared.properties)
    columns = [RECORD_KEY, *table_schema(timeline, properties).names]
    splits = plan_query(storage, properties, timeline, Query(columns=columns)).splits
    return {(split.partition, split.file_id): split for split in splits if not split.is_plain}


def _task_operation(operation: str) -> str:
    """What tasks do with rows: one that overwrites inserts them as if nothing were stored."""
    return "insert" if operation in ("insert_overwrite", "insert_overwrite_table") else operation


def _by_slot(slices: list[FileSlice], timeline: Timeline, buckets: int) -> dict[str, dict[int, SliceRef]]:
    """Slices by partition and slot: their bucket, or their place in the order of file ids."""
    by_slot: dict[str, dict[int, SliceRef]] = {}
    for file_slice in sorted(slices, key=lambda s: (s.partition, s.file_id)):
        slots = by_slot.setdefault(file_slice.partition, {})
        slot = int(file_slice.file_id[:8]) if buckets else len(slots)
        slots[slot] = SliceRef.of(file_slice, timeline)
    return by_slot


def _is_shared(prepared: Prepared, timeline: Timeline, slices: list[FileSlice], batch: Batch) -> bool:
    """Whether tasks share partitions: where a write is expected to touch fewer partitions than there are cores.

    How many it will touch is not known before the rows are evaluated, and they are evaluated once: the last commit is
    taken as the sign of what is to come, and without one the partitions that there are.
    """
    if prepared.buckets or prepared.write.operation in ("bulk_insert", "delete_partition"):
        return False
    touched = {s.partition for s in slices}
    if timeline.commits:
        touched = set(timeline.commit_outline(timeline.commits[-1]).files) or touched
    return len(touched) < batch.parallelism()


def _record_size(timeline: Timeline, bloom: BloomShape | None) -> int | None:
    """Bytes of a stored record in the newest commit that is large enough to tell; None where none is."""
    beside = 0 if bloom is None else bloom.text_size
    for instant in reversed(timeline.commits[-RECENT_COMMITS:]):
        files = list(timeline.commit_outline(instant).written())
        rows = sum(file.rows for file in files)
        size = sum(max(0, file.bytes_written - beside) for file in files)
        # in small files the footer weighs more than the rows
        if rows and size >= TELLING_BYTES:
            return max(1, size // rows)
    return None


def _forget(storage: Storage, prepared: Prepared, coordination: Coordination, error: BaseException) -> None:
    """Remove a table that this write created, unless somebody else writes or wrote to it."""
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
            # a folder that holds anything else is another table's
            if [name_of(file) for file in files] == [".hoodie_partition_metadata"]:
                storage.delete(files[0])
        storage.delete_tree(".hoodie")
    except HoodooError as failure:
        error.add_note(f"the table that this write began at {storage.uri} could not be removed: {failure}")
