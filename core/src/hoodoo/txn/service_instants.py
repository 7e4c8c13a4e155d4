"""Cleans and rollbacks: services whose plan another writer may carry out once the first is dead."""

from __future__ import annotations

from attrs import evolve

from hoodoo.errors import TableChanged
from hoodoo.storage import Storage
from hoodoo.timeline import Instant, State, Timeline, next_instant_time
from hoodoo.timeline.codec.avro_file import is_written_by_hoodoo
from hoodoo.txn.heartbeat import is_alive
from hoodoo.txn.instant_creation import create_file, ensure_file
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import table_lock

__all__ = ["complete", "inflight", "is_interrupted"]


def is_interrupted(storage: Storage, timeline: Timeline, pending: Instant, coordination: Coordination) -> bool:
    """Return whether a pending clean or rollback may be carried out: ours always, Hudi's when its writer is dead.

    Two writers of ours can complete one clean, and a rollback of ours that is found under the table's lock is one of a
    dead writer, which would hold the lock. Hudi fails where another writer completes its clean, and holds the lock for
    the beginning and the end of a rollback alone; its writer gives a heartbeat in between.

    Args:
        storage: The table's files.
        timeline: Has the instant.
        pending: A clean; or a rollback, and then the table's lock is held.
        coordination: The writer's clock, and the age at which the heartbeat of a Hudi writer counts as dead.
    """
    try:
        if is_written_by_hoodoo(timeline.read(pending.at(State.REQUESTED))):
            return True
    except TableChanged:
        pass
    return not is_alive(storage, timeline, pending, coordination.pace, coordination.clock())


def inflight(storage: Storage, timeline: Timeline, instant: Instant, body: bytes = b"") -> Instant:
    """Put a scheduled service on the timeline as inflight, unless it is."""
    begun = instant.at(State.INFLIGHT)
    ensure_file(storage, timeline.path_of(begun), body)
    return begun


def complete(
    storage: Storage,
    timeline: Timeline,
    instant: Instant,
    body: bytes,
    coordination: Coordination = Coordination(),  # noqa: B008 - a frozen value
) -> Instant:
    """Complete a service, unless another writer did.

    Args:
        storage: The table's files.
        timeline: Says layout and folders.
        instant: Pending.
        body: The content of the completed file.
        coordination: The writer's clock and lock.

    Returns:
        The completed instant. One that is not on the timeline any more was completed by another writer and archived.

    Raises:
        CommitStateUnknown: The store does not say whether it is completed.
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
                lock.verify()
                create_file(storage, current.path_of(done), body)
                return done
    return instant.at(State.COMPLETED)
