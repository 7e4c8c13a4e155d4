"""The later states of a service that may be carried out again from its plan, by whoever finds it: a clean."""

from __future__ import annotations

from attrs import evolve

from hoodoo.storage import Storage
from hoodoo.timeline import Instant, State, Timeline, next_instant_time
from hoodoo.txn.coordination import Coordination
from hoodoo.txn.instant_files import create_file, ensure_file
from hoodoo.txn.lock import table_lock

__all__ = ["complete", "inflight"]


def inflight(storage: Storage, timeline: Timeline, instant: Instant, body: bytes = b"") -> Instant:
    """Say that a scheduled service has begun; it may have begun before."""
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
