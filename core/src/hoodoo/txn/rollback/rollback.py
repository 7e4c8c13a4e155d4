"""Rollback of failed writes: their data files are removed first, and then their instants."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime

from hoodoo.errors import CommitError, CorruptTableError
from hoodoo.properties import METADATA_TABLE_FOLDER
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.storage import HOODIE_FOLDER, Missing, Storage
from hoodoo.timeline import Instant, State, Timeline, following_instant, next_instant_time
from hoodoo.timeline.codec.avro_file import read_record, write_record
from hoodoo.timeline.codec.service_schemas import ROLLBACK_METADATA, ROLLBACK_PLAN
from hoodoo.txn.heartbeat import clear_heartbeat, has_hoodoo_heartbeat, is_alive, sweep_heartbeats
from hoodoo.txn.instant_creation import create_file, ensure_file
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import table_lock
from hoodoo.txn.markers import drop_markers, instants_with_markers
from hoodoo.txn.rollback.execution import undo
from hoodoo.txn.rollback.orphaned_files import find_orphaned_files
from hoodoo.txn.rollback.rollback_plan import RollbackPlan
from hoodoo.txn.service_instants import is_interrupted

__all__ = ["is_rollback_due", "roll_back_dead", "roll_back_locked", "rollback", "rollback_pending"]

Clock = Callable[[], datetime]

_DEFAULT_COORDINATION = Coordination()

_METADATA_TABLE = f"{METADATA_TABLE_FOLDER}/{PROPERTIES_FILE}"
_WRITES = frozenset({"commit", "deltacommit", "replacecommit"})
_ROLLED_BACK = _WRITES | {"compaction"}


def rollback(
    storage: Storage, time: str, known: Timeline | None = None, *, coordination: Coordination = _DEFAULT_COORDINATION
) -> bool:
    """Roll back one pending instant, even if its writer is alive. A compaction stays scheduled.

    Args:
        storage: The table's files.
        time: The instant time.
        known: A timeline with the table's layout and folders; the timeline is listed again. Default: layout 1.
        coordination: The writer's clock and lock.

    Returns:
        True if the instant was rolled back now; False if the timeline has no write or compaction of this time.

    Raises:
        CommitError: The instant is completed, or another writer holds the table lock for too long.
        CorruptTableError, UnsupportedTable: As in `rollback_pending`.
    """
    with table_lock(storage, coordination):
        timeline = _reloaded(storage, known)
        instant = next((i for i in timeline.instants if i.time == time and i.action in _ROLLED_BACK), None)
        if instant is None:
            return False
        if instant.is_completed:
            raise CommitError(
                f"{instant.action} {time} of '{storage.uri}' is completed and cannot be rolled back; write the earlier "
                "rows again"
            )
        roll_back_locked(storage, timeline, instant, coordination.clock)
        return True


def rollback_pending(
    storage: Storage,
    known: Timeline | None = None,
    *,
    coordination: Coordination = _DEFAULT_COORDINATION,
) -> tuple[str, ...]:
    """Roll back the pending writes of dead writers; each write begins with this step.

    Interrupted rollbacks are finished first. The instants of live writers, their rollbacks, and services that other
    writers scheduled (compaction, clustering) are not changed. A failed compaction of hoodoo stays scheduled.

    Args:
        storage: The table's files.
        known: A timeline with the table's layout and folders; the timeline is listed again. Default: layout 1.
        coordination: The writer's clock, and the age of a heartbeat after which a Hudi writer counts as dead.

    Returns:
        The times of the instants that were rolled back, without those of interrupted rollbacks.

    Raises:
        CommitError: The plan of an interrupted rollback names a completed instant, or another writer holds the table
            lock for too long.
        CorruptTableError: A completed commit or the metadata table is damaged, or the plan of an interrupted rollback
            names a file that the failed instant did not write.
        UnsupportedTable: A log or the metadata table cannot be read.
        StorageError: The store failed. The next call continues.
    """
    with table_lock(storage, coordination):
        return roll_back_dead(storage, _reloaded(storage, known), coordination)[1]


def roll_back_dead(
    storage: Storage, timeline: Timeline, coordination: Coordination, listing: Storage | None = None
) -> tuple[Timeline, tuple[str, ...]]:
    """Roll back the pending writes of dead writers, as `rollback_pending` does.

    The caller holds the table lock, and listed the timeline under that lock.

    Args:
        storage: The table's files.
        timeline: The complete timeline.
        coordination: The writer's clock, and the age of a heartbeat after which a Hudi writer counts as dead.
        listing: The storage with which the timeline was listed, if it also listed heartbeats and markers.

    Returns:
        The timeline afterwards, and the times of the instants that were rolled back.

    Raises:
        CommitError, CorruptTableError, UnsupportedTable, StorageError: As in `rollback_pending`.
    """
    rollbacks = [instant for instant in timeline.pending if instant.action == "rollback"]
    interrupted = [instant for instant in rollbacks if is_interrupted(storage, timeline, instant, coordination)]
    for instant in interrupted:
        _finish(storage, timeline, instant, coordination.clock)
    if interrupted:
        timeline = timeline.reloaded(storage)
    plans = [_plan_of(storage, timeline, instant) for instant in rollbacks if instant not in interrupted]
    under_way = {plan.time for plan in plans if plan is not None}
    done = []
    for instant in timeline.pending:
        if instant.time in under_way or not is_rollback_due(storage, timeline, instant):
            continue
        if not is_alive(storage, timeline, instant, coordination.pace, coordination.clock()):
            roll_back_locked(storage, timeline, instant, coordination.clock)
            done.append(instant.time)
            timeline = timeline.reloaded(storage)
    for folder in {timeline.folder, timeline.archive_folder, HOODIE_FOLDER}:
        storage.sweep(folder)
    pending = {instant.time for instant in timeline.pending}
    if listing is None or interrupted or done:
        left = set(sweep_heartbeats(storage, pending))
    else:
        left = {*sweep_heartbeats(storage, pending, listing), *(instants_with_markers(listing) - pending)}
    for time in sorted(left):
        drop_markers(storage, time)
    return timeline, tuple(done)


def roll_back_locked(
    storage: Storage, timeline: Timeline, failed: Instant, clock: Clock, announced: Collection[str] | None = None
) -> None:
    """Write the plan of a rollback and execute it, under the table lock; or execute the plan of an earlier attempt.

    Args:
        storage: The table's files.
        timeline: The complete timeline.
        failed: The instant.
        clock: Function that returns the current time, with a zone.
        announced: The paths of all files that the tasks of the instant announced; None to find them by the markers.
    """
    for pending in timeline.pending:
        if pending.action == "rollback":
            plan = _plan_of(storage, timeline, pending)
            if plan is not None and plan.time == failed.time:
                _finish(storage, timeline, pending, clock)
                return
    left = find_orphaned_files(timeline, failed, announced)
    plan = RollbackPlan(failed.time, failed.action, left.files, left.logs)
    requested = Instant(next_instant_time(timeline, clock()), "rollback", State.REQUESTED)
    create_file(storage, timeline.path_of(requested), write_record(ROLLBACK_PLAN, plan.to_record(storage.uri)))
    _execute(storage, timeline, requested, plan, clock)


def _reloaded(storage: Storage, known: Timeline | None) -> Timeline:
    return Timeline.load(storage) if known is None else known.reloaded(storage)


def is_rollback_due(storage: Storage, timeline: Timeline, instant: Instant) -> bool:
    """Return whether a pending instant must be rolled back if its writer is dead."""
    if instant.action == "compaction":
        return instant.state is State.INFLIGHT and has_hoodoo_heartbeat(storage, instant.time)
    return instant.action in _WRITES and not _is_clustering(storage, timeline, instant)


def _finish(storage: Storage, timeline: Timeline, pending: Instant, clock: Clock) -> None:
    plan = _plan_of(storage, timeline, pending)
    if plan is None:
        # this rollback deleted nothing, and the failed instant is still pending, so that it gets a new plan
        storage.delete(timeline.path_of(pending.at(State.INFLIGHT)))
        storage.delete(timeline.path_of(pending.at(State.REQUESTED)))
        return
    is_pending = any(i.time == plan.time for i in timeline.pending)
    # the files of a completed commit are never deleted, even if the plan has another action
    if timeline.has_commit(plan.time) or (timeline.is_visible(plan.time) and not is_pending):
        raise CommitError(
            f"rollback {pending.time} is pending and its plan names {plan.action} {plan.time}, which is completed; "
            "finish the rollback with the tool that began it"
        )
    _execute(storage, timeline, pending, plan, clock)


def _execute(storage: Storage, timeline: Timeline, pending: Instant, plan: RollbackPlan, clock: Clock) -> None:
    ensure_file(storage, timeline.path_of(pending.at(State.INFLIGHT)), b"")
    metadata = undo(timeline, plan, pending.time)
    if storage.exists(_METADATA_TABLE):
        # a table without a metadata table does not import its modules
        from hoodoo.txn.metadata.table_rollback import roll_back_in_metadata

        roll_back_in_metadata(storage, timeline, plan.time, pending.time, metadata, clock)
    later = max(next_instant_time(timeline, clock()), following_instant(pending.time))
    completed = Instant(pending.time, "rollback", completion_time=None if timeline.layout == 1 else later)
    create_file(storage, timeline.path_of(completed), write_record(ROLLBACK_METADATA, metadata))
    storage.delete(timeline.path_of(plan.failed.at(State.INFLIGHT)))
    # the plan of a compaction stays: logs that were written after it belong to the slice that it begins
    if plan.action != "compaction":
        storage.delete(timeline.path_of(plan.failed.at(State.REQUESTED)))
    drop_markers(storage, plan.time)
    clear_heartbeat(storage, plan.time)


def _plan_of(storage: Storage, timeline: Timeline, pending: Instant) -> RollbackPlan | None:
    """Return the plan of a pending rollback; None if its file is missing or incomplete."""
    path = timeline.path_of(pending.at(State.REQUESTED))
    try:
        return RollbackPlan.from_record(read_record(storage.read(path), path), path)
    except (Missing, CorruptTableError):
        return None


def _is_clustering(storage: Storage, timeline: Timeline, instant: Instant) -> bool:
    if instant.action != "replacecommit":
        return False
    path = timeline.path_of(instant.at(State.REQUESTED))
    try:
        body = storage.read(path)
        return bool(body) and read_record(body, path).get("clusteringPlan") is not None
    except (Missing, CorruptTableError):
        # no writer executes an incomplete plan
        return False
