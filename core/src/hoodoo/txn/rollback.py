"""Undoing what a failed write left: its data files first, then its instant."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from time import monotonic

from hoodoo.errors import CommitError, CorruptTableError, UnsupportedTable
from hoodoo.format.names import BaseFileName
from hoodoo.storage import AlreadyExists, Missing, Storage, name_of
from hoodoo.timeline import Instant, State, Timeline, next_instant_time, utc_now
from hoodoo.txn.avro_files import decode, encode
from hoodoo.txn.lock import clear_heartbeat, is_alive, table_lock
from hoodoo.txn.markers import are_markers_open, close_markers, drop_markers, list_markers
from hoodoo.txn.rollback_plan import RollbackPlan
from hoodoo.txn.schemas import ROLLBACK_METADATA, ROLLBACK_PLAN

__all__ = ["rollback", "rollback_pending"]

Clock = Callable[[], datetime]

_ROLLED_BACK = frozenset({"commit", "replacecommit"})


def rollback(storage: Storage, time: str, *, layout: int = 1, clock: Clock = utc_now) -> bool:
    """Roll back one pending instant, whether its writer is alive or not.

    Returns:
        Whether there was something to do; an instant that is not on the timeline is rolled back already.

    Raises:
        CommitError: The instant is completed.
    """
    with table_lock(storage):
        timeline = Timeline.load(storage, layout)
        instant = next((i for i in timeline.instants if i.time == time and i.action in _ROLLED_BACK), None)
        if instant is None:
            return False
        if instant.is_completed:
            raise CommitError(f"{instant.action} {time} is completed and cannot be rolled back")
        _roll_back(storage, timeline, instant, clock)
        return True


def rollback_pending(storage: Storage, *, layout: int = 1, clock: Clock = utc_now) -> tuple[str, ...]:
    """Roll back the commits that writers left behind when they died; every write begins with it.

    Rollbacks that were interrupted are finished first. Writers that are alive, and services that other writers
    scheduled (compaction, clustering), are left alone.

    Returns:
        The times of the instants that were rolled back.

    Raises:
        UnsupportedTable: A failed write of a merge-on-read table.
    """
    with table_lock(storage):
        timeline = Timeline.load(storage, layout)
        for instant in timeline.pending:
            if instant.action == "rollback":
                _finish(storage, timeline, instant)
        timeline = Timeline.load(storage, layout)
        done = []
        for instant in timeline.pending:
            if instant.action == "deltacommit" and not is_alive(storage, instant.time):
                raise UnsupportedTable(
                    f"delta commit {instant.time} failed, and rolling back log files is not supported; "
                    "roll it back with the writer that made it",
                    code="rollback",
                )
            if instant.action not in _ROLLED_BACK or is_alive(storage, instant.time):
                continue
            if instant.action == "replacecommit" and _is_clustering(storage, timeline, instant):
                continue
            _roll_back(storage, timeline, instant, clock)
            done.append(instant.time)
            timeline = Timeline.load(storage, layout)
        return tuple(done)


def _roll_back(storage: Storage, timeline: Timeline, failed: Instant, clock: Clock) -> None:
    """Write the plan, then carry it out. A plan of an earlier attempt is carried out instead."""
    for pending in timeline.pending:
        if pending.action == "rollback":
            plan = _plan_of(storage, timeline, pending)
            if plan is not None and plan.time == failed.time:
                _finish(storage, timeline, pending)
                return
    plan = RollbackPlan(failed.time, failed.action, tuple(_files_of(storage, failed.time)))
    requested = Instant(next_instant_time(timeline, clock()), "rollback", State.REQUESTED)
    storage.create(timeline.path_of(requested), encode(ROLLBACK_PLAN, plan.to_record(storage.uri)))
    _carry_out(storage, timeline, requested, plan)


def _finish(storage: Storage, timeline: Timeline, pending: Instant) -> None:
    plan = _plan_of(storage, timeline, pending)
    if plan is None:
        # nothing was deleted by it, and the failed instant is still there to be planned anew
        storage.delete(timeline.path_of(pending.at(State.INFLIGHT)))
        storage.delete(timeline.path_of(pending.at(State.REQUESTED)))
        return
    if any(i.time == plan.time and i.is_completed and i.completed_action == plan.action for i in timeline.instants):
        raise CommitError(
            f"rollback {pending.time} is not finished and is about {plan.action} {plan.time}, which is completed; "
            "finish it with the tool that began it"
        )
    _carry_out(storage, timeline, pending, plan)


def _carry_out(storage: Storage, timeline: Timeline, rollback_instant: Instant, plan: RollbackPlan) -> None:
    started = monotonic()
    plan.check()
    _create_if_absent(storage, timeline.path_of(rollback_instant.at(State.INFLIGHT)), b"")
    for path in plan.files:
        storage.delete(path)
    record = plan.to_metadata(storage.uri, rollback_instant.time, round((monotonic() - started) * 1000))
    _create_if_absent(
        storage, timeline.path_of(rollback_instant.at(State.COMPLETED)), encode(ROLLBACK_METADATA, record)
    )
    failed = Instant(plan.time, plan.action)
    storage.delete(timeline.path_of(failed.at(State.INFLIGHT)))
    storage.delete(timeline.path_of(failed.at(State.REQUESTED)))
    drop_markers(storage, plan.time)
    clear_heartbeat(storage, plan.time)


def _files_of(storage: Storage, time: str) -> list[str]:
    """The data files that a failed instant may have left: by its markers, or by a listing where they are not whole."""
    if are_markers_open(storage, time):
        # from here on no task that is still running gets a new marker
        close_markers(storage, time)
        markers = list_markers(storage, time)
        if not any(kind == "APPEND" for _, kind in markers):
            return sorted({path for path, _ in markers})
        raise UnsupportedTable(f"instant {time} appended to log files, which cannot be rolled back", code="rollback")
    found = []
    for info in storage.walk():
        name = BaseFileName.parse(name_of(info.path))
        if name is not None and name.instant == time:
            found.append(info.path)
    return sorted(found)


def _plan_of(storage: Storage, timeline: Timeline, pending: Instant) -> RollbackPlan | None:
    """The plan of a pending rollback; None where it was not written whole."""
    path = timeline.path_of(pending.at(State.REQUESTED))
    try:
        return RollbackPlan.from_record(decode(storage.read(path), path), path)
    except (Missing, CorruptTableError):
        return None


def _is_clustering(storage: Storage, timeline: Timeline, instant: Instant) -> bool:
    path = timeline.path_of(instant.at(State.REQUESTED))
    try:
        body = storage.read(path)
    except Missing:
        return False
    try:
        return bool(body) and decode(body, path).get("clusteringPlan") is not None
    except CorruptTableError:
        # a plan that was not written whole is being carried out by nobody
        return False


def _create_if_absent(storage: Storage, path: str, body: bytes) -> None:
    try:
        storage.create(path, body)
    except AlreadyExists:
        # under the table's lock it can only be an earlier attempt of the same rollback
        return
