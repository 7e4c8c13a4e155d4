"""Creation of instants on the timeline: writes, and table services that are planned before they run."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import partial

from attrs import evolve

from hoodoo.caller import warn_caller
from hoodoo.errors import CommitConflict, CommitError
from hoodoo.properties import TableProperties
from hoodoo.storage import HOODIE_FOLDER, AlreadyExists, Storage, listed_at_once
from hoodoo.timeline import (
    COMMIT_ACTIONS,
    CommitMetadata,
    Instant,
    State,
    Timeline,
    following_instant,
    instant_datetime,
    next_instant_time,
)
from hoodoo.timeline.codec.avro_file import write_record
from hoodoo.timeline.codec.service_schemas import REQUESTED_REPLACE
from hoodoo.txn.heartbeat import is_alive, start_heartbeat
from hoodoo.txn.held_write import HeldWrite, can_keep_lock
from hoodoo.txn.instant_creation import create_early_file, ensure_file
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import table_lock
from hoodoo.txn.markers import close_markers, open_markers
from hoodoo.txn.rollback.rollback import roll_back_dead, roll_back_locked
from hoodoo.txn.transaction import WRITER_KEY, Transaction, check_version

__all__ = ["ClockBehind", "ahead_of_clock", "begin", "schedule", "start"]

_ATTEMPTS = 5
_DEFAULT_COORDINATION = Coordination()
_TOLERANCE = timedelta(minutes=1)


class ClockBehind(UserWarning):
    """Warning that the newest instant of a table is more than a minute ahead of the writer's clock.

    The instant of the write is later than the newest one, so nothing is lost. A writer that uses its clock alone, as
    Hudi writers do, gives its next commits earlier instants, and readers then prefer the existing commits.
    """


def begin(
    storage: Storage,
    timeline: Timeline,
    action: str = "commit",
    operation: str = "UPSERT",
    coordination: Coordination = _DEFAULT_COORDINATION,
    *,
    properties: TableProperties | None = None,
    repairs: bool = False,
) -> Transaction:
    """Create the requested and inflight instant of a new write, and open its markers.

    Args:
        storage: The table's files.
        timeline: The timeline with which the write was planned. Commits that it lacks are concurrent.
        action: `commit`, `deltacommit` or `replacecommit`.
        operation: Hudi's name of the operation, in capitals.
        coordination: The writer's clock, heartbeat and lock. In a remote store, a write that may keep the lock, and
            that has no lock provider, keeps the table lock until its commit. Its markers are opened only if the write
            takes too long and is published, see `HeldWrite`.
        properties: The properties with which the write was planned. With them, an upgrade of the table since then is a
            conflict, and the metadata table is updated; None for neither.
        repairs: Whether to roll back the writes of dead writers first, as `rollback_pending` does, but with one lock
            and one listing of the timeline for both.

    Raises:
        ValueError: The action is not one of `COMMIT_ACTIONS`.
        CommitConflict: The write keeps the table lock, and another writer changed the version of the table since
            `properties` were read. For other writes, the commit raises this error.
        CommitError: Another writer holds the table lock for too long, or other writers took each of the instants that
            were tried.
        CommitError, CorruptTableError, UnsupportedTable: With `repairs`, as in `rollback_pending`.
        StorageError: The store failed. The next write rolls back the files that exist.
    """
    if action not in COMMIT_ACTIONS:
        raise ValueError(f"the action of a write is one of {', '.join(sorted(COMMIT_ACTIONS))}, not '{action}'")
    token = uuid.uuid4().hex
    requested = write_record(REQUESTED_REPLACE, {"version": None}) if action == "replacecommit" else b""
    inflight = CommitMetadata(operation, extra_metadata={WRITER_KEY: token}).to_bytes(timeline.layout)
    keeps_lock = coordination.keeps_lock and can_keep_lock(storage, coordination)
    with ExitStack() as stack:
        lock = stack.enter_context(table_lock(storage, coordination))
        listing = listed_at_once(storage, HOODIE_FOLDER)
        current = evolve(timeline.reloaded(listing), storage=storage)
        if keeps_lock and properties is not None:
            properties = check_version(listing, properties)
        if repairs:
            current, _ = roll_back_dead(storage, current, coordination, None if listing is storage else listing)
        now = coordination.clock()
        time = next_instant_time(current, now)
        _check_clock(storage, current, now)
        for _ in range(_ATTEMPTS):
            heartbeat = None if keeps_lock else start_heartbeat(storage, time, coordination.pace)
            if heartbeat is not None or keeps_lock:
                transaction = Transaction(
                    storage, timeline, current, Instant(time, action), token, coordination, heartbeat, properties
                )
                try:
                    create_early_file(storage, transaction.path_of(State.REQUESTED), requested)
                    create_early_file(storage, transaction.path_of(State.INFLIGHT), inflight)
                    opening = partial(open_markers, storage, time, token)
                    if keeps_lock:
                        closing = partial(close_markers, storage, time)
                        held = HeldWrite(storage, time, lock, opening, closing, coordination.pace, stack.pop_all())
                        transaction.keep_lock(held)
                    else:
                        opening()
                    return transaction
                except AlreadyExists:
                    # a writer that uses another lock took this millisecond; or a response of the store was lost, and
                    # the file that this writer created now counts as that of a writer without a heartbeat
                    if heartbeat is not None:
                        heartbeat.release(delete=True)
                except BaseException:
                    if heartbeat is not None:
                        heartbeat.release()
                    raise
            time = following_instant(time)
    raise CommitError(f"other writers of '{storage.uri}' took {_ATTEMPTS} instants before {time}; try again")


def schedule(
    storage: Storage,
    timeline: Timeline,
    action: str,
    plan: Callable[[Timeline, str], bytes | None],
    coordination: Coordination = _DEFAULT_COORDINATION,
) -> Instant | None:
    """Create the requested instant of a service, such as `compaction` or `clean`, with its plan.

    Args:
        storage: The table's files.
        timeline: A timeline with the table's layout and folders; it is listed again.
        action: The action in the name of the requested file.
        plan: A function of the current timeline and the instant time, called under the table lock, so that the
            timeline is current until the new instant exists. The function returns the content of the requested file,
            or None if there is nothing to do.
        coordination: The writer's clock.

    Returns:
        The requested instant; None if there is nothing to do.

    Raises:
        CommitConflict: A compaction was requested in timeline layout 1 while a delta commit is pending. The logs of
            the delta commit are named by the slices that the compaction ends, and would be lost.
        CommitError: Another writer holds the table lock for too long, or other writers took each of the instants that
            were tried.
        StorageError: The store failed.
    """
    with table_lock(storage, coordination):
        current = timeline.reloaded(storage)
        if current.layout == 1 and action == "compaction":
            for pending in current.pending:
                if pending.action == "deltacommit":
                    raise CommitConflict(
                        f"deltacommit {pending.time} is in progress, and a compaction that begins now would lose its "
                        "rows; schedule the compaction again after the delta commit is completed or rolled back"
                    )
        time = next_instant_time(current, coordination.clock())
        for _ in range(_ATTEMPTS):
            body = plan(current, time)
            if body is None:
                return None
            instant = Instant(time, action, State.REQUESTED)
            try:
                create_early_file(storage, current.path_of(instant), body)
                return instant
            except AlreadyExists:
                time = following_instant(time)
    raise CommitError(f"other writers of '{storage.uri}' took {_ATTEMPTS} instants before {time}; try again")


def start(
    storage: Storage,
    timeline: Timeline,
    instant: Instant,
    coordination: Coordination = _DEFAULT_COORDINATION,
) -> Transaction:
    """Start a scheduled compaction. Files of an earlier attempt are rolled back first.

    Args:
        storage: The table's files.
        timeline: The timeline that the compaction reads; it has the instant.
        instant: The requested or inflight instant.
        coordination: The writer's clock and heartbeat.

    Raises:
        CommitConflict: Another writer is executing the compaction.
        CommitError: The instant is not pending, or another writer holds the table lock for too long.
        CorruptTableError, UnsupportedTable: The rollback of an earlier attempt failed, as in `rollback_pending`.
        StorageError: The store failed.
    """
    with table_lock(storage, coordination):
        current = timeline.reloaded(storage)
        known = next((i for i in current.pending if (i.time, i.action) == (instant.time, instant.action)), None)
        if known is None:
            raise CommitError(
                f"{instant.action} {instant.time} of '{storage.uri}' is not pending: it was completed or rolled back; "
                "load the table again"
            )
        if known.state is State.INFLIGHT:
            if is_alive(storage, current, known, coordination.pace, coordination.clock()):
                raise CommitConflict(
                    f"another writer is executing {instant.action} {instant.time} of '{storage.uri}'; wait until it is "
                    "completed"
                )
            roll_back_locked(storage, current, known, coordination.clock)
        heartbeat = start_heartbeat(storage, instant.time, coordination.pace)
        if heartbeat is None:
            raise CommitConflict(
                f"another writer is executing {instant.action} {instant.time} of '{storage.uri}'; wait until it is "
                "completed"
            )
        token = uuid.uuid4().hex
        transaction = Transaction(
            storage, timeline, current, Instant(instant.time, instant.action), token, coordination, heartbeat
        )
        try:
            ensure_file(storage, transaction.path_of(State.INFLIGHT), b"")
            open_markers(storage, instant.time, token)
        except BaseException:
            heartbeat.release()
            raise
        return transaction


def ahead_of_clock(timeline: Timeline, now: datetime) -> timedelta | None:
    """Return the time by which the newest instant is ahead of a clock; None up to one minute, or without instants."""
    if timeline.last_time is None:
        return None
    ahead = instant_datetime(timeline.last_time, timeline.zone) - now
    return ahead if ahead > _TOLERANCE else None


def _check_clock(storage: Storage, timeline: Timeline, now: datetime) -> None:
    ahead = ahead_of_clock(timeline, now)
    if ahead is not None:
        zone = "the zone of its writers" if timeline.is_local else "UTC"
        warn_caller(
            f"the newest instant of {storage.uri}, {timeline.last_time} ({zone}), is {_duration(ahead)} ahead of this "
            "machine's clock; this write uses a later instant, but other writers may not: set the clocks "
            "of all writers, and check hoodie.table.timeline.timezone if Hudi writes to the table",
            ClockBehind,
        )


def _duration(time: timedelta) -> str:
    minutes = round(time.total_seconds() / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"
