"""Compaction: merge the logs of file slices into new base files.

A compaction is an ordinary commit with the ordinary check for conflicts. It is rolled back if a delta commit changes
one of its file groups first. A delta commit that began before the compaction was completed, and is completed later,
fails with a conflict if it wrote a base file in one of these groups, and in timeline layout 1 also if it wrote a log.
hoodoo does not leave pending compactions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

import pyarrow as pa
from attrs import evolve

from hoodoo.archived_timeline import load_timeline
from hoodoo.index.index_types import index_type
from hoodoo.options import BloomOptions, CompactionOptions, FileOptions
from hoodoo.properties import TableProperties, load_properties
from hoodoo.properties.property_keys import INDEX
from hoodoo.reading import Query, Split, plan, table_schema
from hoodoo.service.clean import prepare_service
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline, instant_datetime, run_with_reloads, utc_now
from hoodoo.txn import Coordination, Transaction, begin, rollback_pending
from hoodoo.txn.column_ids import keep_column_ids
from hoodoo.writing.commit import Commit, commit_from, metadata_of
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.prepare.bloom_choice import wanted_filter
from hoodoo.writing.prepare.requested_properties import check_writable
from hoodoo.writing.tasks.slice_compaction import CompactTask, compacted_columns
from hoodoo.writing.write_spec import FileSpec, TableSpec

__all__ = ["CompactionEngine", "compact", "is_due"]

Progress = Callable[[Transaction], AbstractContextManager[Callable[[], None]]]


class CompactionEngine(Protocol):
    """Engine that runs the tasks of a compaction."""

    def compact(self, tasks: Sequence[CompactTask], tag: str, progress: Callable[[], None]) -> list[FileStatus]:
        """Run each task once and return the status of each written file.

        `tag` names the job, and `progress` is called after each task.
        """
        ...


def compact(
    storage: Storage,
    engine: CompactionEngine,
    progress: Progress,
    *,
    compression: str = "zstd",
    bloom: BloomOptions = BloomOptions(),  # noqa: B008 - a frozen value
    coordination: Coordination = Coordination(),  # noqa: B008 - a frozen value
) -> Commit | None:
    """Roll back interrupted writes, and merge each file slice that has logs into a new base file.

    Args:
        storage: The table's files.
        engine: The engine that runs the tasks.
        progress: Function that returns a context manager for the transaction; its value is called after each task.
        compression: The compression of base files.
        bloom: The options of bloom filters in base files.
        coordination: The clock and the locks of this writer.

    Returns:
        The commit; None if no slice has logs.

    Raises:
        CommitConflict: A delta commit changed one of the file groups first, or another writer changed the version of
            the table; the table is unchanged.
        CommitStateUnknown: The store does not confirm whether the compaction is completed.
        CommitError: An interrupted rollback cannot be finished, see `rollback_pending`.
        LockTimeout: The lock of the table was not acquired in time.
        CorruptTableError: A file is damaged.
        UnsupportedTable: The table cannot be written to, for example because its metadata table cannot be updated.
        UnknownPlugin: The table's merge rule is not installed.
    """
    properties = load_properties(storage)
    check_writable(properties, storage.uri)
    known = load_timeline(storage, properties)
    prepare_service(storage, properties, known, coordination)
    rollback_pending(storage, known, coordination=coordination)
    timeline, (schema, splits) = run_with_reloads(
        load_timeline(storage, properties), lambda now: (now, _slices_with_logs(storage, properties, now))
    )
    if not splits:
        return None
    with begin(storage, timeline, "commit", "COMPACT", coordination, properties=properties) as transaction:
        current = transaction.take_current_timeline()
        if current.instants != timeline.instants:
            schema, splits = _slices_with_logs(storage, properties, current)
        if not splits:
            # another writer compacted them; the end of the block rolls the instant back
            return None
        table = TableSpec.of(storage, properties, schema)
        shape = wanted_filter(bloom, index_type(properties.get(INDEX)).uses_bloom, properties)
        files = FileSpec(FileOptions(compression=compression), shape)
        tasks = [CompactTask(transaction.time, table, files, split) for split in splits]
        with progress(transaction) as tick:
            statuses = engine.compact(tasks, f"hoodoo-{transaction.time}", tick)
        metadata = metadata_of("COMPACT", statuses, table.avro_schema, compacted=True)
        ids = keep_column_ids(storage, current, transaction.time, table.avro_schema)
        metadata = evolve(metadata, extra_metadata={**metadata.extra_metadata, **ids})
        instant = transaction.commit(metadata)
    return commit_from(storage.uri, instant.time, metadata)


def _slices_with_logs(
    storage: Storage, properties: TableProperties, timeline: Timeline
) -> tuple[pa.Schema, list[Split]]:
    """Return the data columns of a table, and splits of its file slices with logs."""
    schema = table_schema(timeline, properties)
    query = Query(columns=compacted_columns(schema))
    return schema, [split for split in plan(storage, properties, timeline, query).splits if split.merge is not None]


def is_due(timeline: Timeline, options: CompactionOptions, now: datetime | None = None) -> bool:
    """Return whether the trigger of inline compaction is reached at the time `now`; None is the current time."""
    compactions = [i for i in timeline.commits if i.action == "commit"]
    last = compactions[-1].time if compactions else ""
    since = [i for i in timeline.commits if i.action == "deltacommit" and i.time > last]
    if not since:
        return False
    enough = len(since) >= options.compact_after_commits
    begun = instant_datetime(last or since[0].time, timeline.zone)
    late = ((now or utc_now()) - begun).total_seconds() >= options.compact_after_seconds
    return {"TIME_ELAPSED": late, "NUM_AND_TIME": enough and late, "NUM_OR_TIME": enough or late}.get(
        options.compact_trigger, enough
    )
