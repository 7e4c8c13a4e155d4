"""Check of pending instants: writes in progress, failed writes, scheduled services, and old heartbeats."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from hoodoo.diagnosis.finding import Finding, Place, Status, first_places
from hoodoo.diagnosis.table_state import TableState
from hoodoo.diagnosis.wording import counted, duration
from hoodoo.timeline import Instant, State, instant_datetime
from hoodoo.txn import HeartbeatPace
from hoodoo.txn.heartbeat import HEARTBEAT_FOLDER, heartbeats, last_sign
from hoodoo.txn.rollback.rollback import is_rollback_due

__all__ = ["check_pending", "dead_writes"]

_PACE = HeartbeatPace()
_OLD_PLAN = timedelta(days=1)


def check_pending(state: TableState) -> Iterator[Finding]:
    """Yield a finding for each pending instant, then findings about rolled-back writes and old heartbeats."""
    timeline = state.timeline
    for instant in timeline.pending:
        yield _of_instant(state, instant)
    if not timeline.pending:
        yield Finding("pending", Status.OK, "no instant is pending")
    undone = [instant for instant in timeline.completed if instant.action == "rollback"]
    if undone:
        yield Finding(
            "pending",
            Status.INFO,
            f"{counted(len(undone), 'rollback')} of failed writes on the active timeline, "
            f"with {counted(len(timeline.commits), 'completed commit')}",
            places=first_places(Place(instant=instant.time) for instant in undone),
        )
    pending = {instant.time for instant in timeline.pending}
    old = [time for time in heartbeats(state.storage) if time not in pending]
    if old:
        yield Finding(
            "pending",
            Status.INFO,
            f"{counted(len(old), 'heartbeat')} of writers whose instants are not pending",
            "the next write by hoodoo deletes those of hoodoo; those of Hudi can be deleted if no writer is active",
            first_places(Place(file=f"{HEARTBEAT_FOLDER}/{time}") for time in old),
        )


def dead_writes(state: TableState) -> list[Instant]:
    """Return the pending writes of dead writers, which the next write rolls back."""
    return [
        instant
        for instant in state.timeline.pending
        if not _is_alive(state, instant) and is_rollback_due(state.storage, state.timeline, instant)
    ]


def _of_instant(state: TableState, instant: Instant) -> Finding:
    last = _last_sign(state, instant)
    silence = "" if last is None else f", last sign of its writer {duration(state.now - last)} ago"
    what = f"{instant.action} {instant.time} is {instant.state.value}{silence}"
    place = (Place(instant=instant.time, file=state.timeline.path_of(instant)),)
    if _is_alive(state, instant):
        return Finding("pending", Status.INFO, f"{what}: its writer is alive", places=place)
    if is_rollback_due(state.storage, state.timeline, instant):
        advice = "the next write by hoodoo rolls it back; its rows were never visible: run the failed job again"
        return Finding("pending", Status.WARNING, f"{what}: the write failed", advice, place)
    if instant.action in ("clean", "rollback", "restore"):
        advice = "run `hoodoo table clean`" if instant.action == "clean" else "the next write finishes it"
        advice = "finish it with Hudi, which began it" if instant.action == "restore" else advice
        return Finding("pending", Status.WARNING, f"{what}: it was interrupted", advice, place)
    age = None if last is None else state.now - last
    if instant.state is State.REQUESTED and (age is None or age < _OLD_PLAN):
        return Finding("pending", Status.INFO, f"{what}: it is scheduled", "run the table service", place)
    advice = "run the service that was planned, or unschedule it with Hudi"
    if instant.action == "compaction":
        advice = "run `hoodoo table compact`, or the compaction job; until then logs are merged by each reader"
    elif instant.action in ("clustering", "replacecommit"):
        advice += "; until then writes to its file groups are refused"
    return Finding("pending", Status.WARNING, f"{what}: the plan was not executed", advice, place)


def _is_alive(state: TableState, instant: Instant) -> bool:
    is_write = is_rollback_due(state.storage, state.timeline, instant)
    if instant.state is State.REQUESTED and not is_write:
        return False  # a plan has no writer until a service executes it
    last = _last_sign(state, instant)
    return last is not None and state.now - last <= _PACE.max_age


def _last_sign(state: TableState, instant: Instant) -> datetime | None:
    """Return the time at which the writer of an instant was last active; None if its files are missing.

    This is the time of its heartbeat or, without one, that of its files. If the files are older than the instant, as in
    a copied table, it is the time of the instant, unless that is in the future.
    """
    last = last_sign(state.storage, state.timeline, instant)
    begun = instant_datetime(instant.time, state.timeline.zone)
    return begun if last is not None and last < begun <= state.now else last
