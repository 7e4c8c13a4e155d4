"""Instants of cleans and rollbacks, whose plans another writer may execute after the first one died."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from hoodoo.errors import TableChanged
from hoodoo.properties import METADATA_TABLE_FOLDER, load_properties
from hoodoo.storage import Storage, name_of, parent_of
from hoodoo.timeline import Instant, State, Timeline, following_instant, next_instant_time
from hoodoo.timeline.codec.avro_file import is_written_by_hoodoo
from hoodoo.txn.heartbeat import is_alive
from hoodoo.txn.instant_creation import create_file, ensure_file
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import table_lock
from hoodoo.txn.metadata.removal import has_metadata_table

__all__ = ["complete", "inflight", "is_interrupted"]


def is_interrupted(storage: Storage, timeline: Timeline, pending: Instant, coordination: Coordination) -> bool:
    """Return whether this writer may execute a pending clean or rollback: hoodoo planned it, or its writer died.

    Two hoodoo writers can complete one clean. A pending rollback of hoodoo that is found under the table lock belongs
    to a dead writer, because a live writer would hold the lock. Hudi fails if another writer completes its clean. Hudi
    holds the lock only at the beginning and at the end of a rollback, and sends heartbeats in between.

    Args:
        storage: The table's files.
        timeline: The timeline that has the instant.
        pending: A clean; or a rollback, in which case the caller holds the table lock.
        coordination: The writer's clock, and the age of a heartbeat after which a Hudi writer counts as dead.
    """
    try:
        if is_written_by_hoodoo(timeline.read(pending.at(State.REQUESTED))):
            return True
    except TableChanged:
        pass
    return not is_alive(storage, timeline, pending, coordination.pace, coordination.clock())


def inflight(storage: Storage, timeline: Timeline, instant: Instant, body: bytes = b"") -> Instant:
    """Create the inflight file of a service, with the content `body`, unless it exists; return the instant."""
    begun = instant.at(State.INFLIGHT)
    ensure_file(storage, timeline.path_of(begun), body)
    return begun


def complete(
    storage: Storage,
    timeline: Timeline,
    instant: Instant,
    body: bytes,
    coordination: Coordination = Coordination(),  # noqa: B008 - a frozen value
    *,
    removed: Sequence[str] | None = None,
) -> Instant:
    """Complete a service, unless another writer completed it.

    Args:
        storage: The table's files.
        timeline: A timeline with the table's layout and folders; it is listed again.
        instant: The pending instant.
        body: The content of the completed file.
        coordination: The writer's clock and lock.
        removed: The table-relative paths of the files that a clean removed, for the metadata table; otherwise None.

    Returns:
        The completed instant. If it is no longer on the timeline, another writer completed and archived it.

    Raises:
        CommitStateUnknown: The store does not confirm whether the instant is completed.
        LockTimeout: The table lock was not obtained.
        StorageError: The store failed, or the table lock ended, before the instant was completed.
        CommitConflict, CorruptTableError, UnsupportedTable: With `removed`, as in `keep_current` of the metadata table.
    """
    with table_lock(storage, coordination) as lock:
        current = timeline.reloaded(storage)
        for known in current.instants:
            if (known.time, known.completed_action) == (instant.time, instant.completed_action):
                if known.is_completed:
                    return known
                done = known.at(State.COMPLETED)
                if current.layout > 1:
                    done = evolve(done, completion_time=next_instant_time(current, coordination.clock()))
                if removed is not None and storage.exists(METADATA_TABLE_FOLDER):
                    done = _keep_metadata(storage, current, done, removed, coordination)
                lock.verify()
                create_file(storage, current.path_of(done), body)
                return done
    return instant.at(State.COMPLETED)


def _keep_metadata(
    storage: Storage, timeline: Timeline, done: Instant, removed: Sequence[str], coordination: Coordination
) -> Instant:
    """Remove files from the metadata table. Return the instant, with a completion time after that removal."""
    properties = load_properties(storage)
    if not has_metadata_table(properties):
        return done
    # a table without a metadata table does not import its modules
    from hoodoo.metadata_table.maintenance.table_change import TableChange
    from hoodoo.txn.metadata.delta_commit import keep_current

    by_partition: dict[str, list[str]] = {}
    for path in removed:
        by_partition.setdefault(parent_of(path), []).append(name_of(path))
    change = TableChange(done.time, removed=by_partition)
    time = keep_current(storage, properties, timeline, change, coordination)
    if time is None or done.completion_time is None:
        return done
    return evolve(done, completion_time=max(done.completion_time, following_instant(time)))
