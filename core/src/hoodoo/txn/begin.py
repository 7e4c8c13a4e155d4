"""Putting instants on the timeline: writes, and services that are planned first and carried out then."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable
from datetime import datetime, timedelta

from hoodoo.errors import CommitConflict, CommitError
from hoodoo.properties import TableProperties
from hoodoo.storage import AlreadyExists, Storage
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
from hoodoo.txn.instant_creation import create_early_file, ensure_file
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import table_lock
from hoodoo.txn.markers import open_markers
from hoodoo.txn.rollback.rollback import roll_back, roll_back_dead
from hoodoo.txn.transaction import WRITER_KEY, Transaction

__all__ = ["ClockBehind", "begin", "schedule", "start"]

_ATTEMPTS = 5
_ALONE = Coordination()
_TOLERANCE = timedelta(minutes=1)


class ClockBehind(UserWarning):
    """The newest instant of a table is minutes ahead of the writer's clock.

    The instant of the write follows the newest one, so nothing is lost. A writer that does not do so, such as Hudi's,
    gives its next commits earlier instants, which readers rank below the commits that are there.
    """


def begin(
    storage: Storage,
    timeline: Timeline,
    action: str = "commit",
    operation: str = "UPSERT",
    coordination: Coordination = _ALONE,
    *,
    properties: TableProperties | None = None,
    repairs: bool = False,
) -> Transaction:
    """Put a new write on the timeline, requested and inflight, and open its markers.

    Args:
        storage: The table's files.
        timeline: What the write was planned by: commits that are not on it count as concurrent.
        action: `commit`, `deltacommit` or `replacecommit`.
        operation: Hudi's word for the operation, in capitals.
        coordination: The writer's clock and heartbeat.
        properties: The properties that the write was planned by: it conflicts with an upgrade of the table. None to
            leave this out.
        repairs: Whether the writes of dead writers are rolled back first, as `rollback_pending` does; it saves taking
            the lock and listing the timeline once more.

    Raises:
        CommitError: Another writer holds the table's lock for too long, or keeps taking the instants.
        StorageError: What was written so far is rolled back by the next write.
    """
    if action not in COMMIT_ACTIONS:
        raise ValueError(f"a write is one of {sorted(COMMIT_ACTIONS)}, not {action!r}")
    token = uuid.uuid4().hex
    requested = write_record(REQUESTED_REPLACE, {"version": None}) if action == "replacecommit" else b""
    inflight = CommitMetadata(operation, extra_metadata={WRITER_KEY: token}).to_bytes(timeline.layout)
    with table_lock(storage, coordination):
        current = timeline.reloaded(storage)
        if repairs:
            current, _ = roll_back_dead(storage, current, coordination)
        now = coordination.clock()
        time = next_instant_time(current, now)
        _check_clock(storage, current, now)
        for _ in range(_ATTEMPTS):
            heartbeat = start_heartbeat(storage, time, coordination.pace)
            if heartbeat is not None:
                transaction = Transaction(
                    storage, timeline, current, Instant(time, action), token, coordination, heartbeat, properties
                )
                try:
                    create_early_file(storage, transaction.path_of(State.REQUESTED), requested)
                    create_early_file(storage, transaction.path_of(State.INFLIGHT), inflight)
                    open_markers(storage, time, token)
                    return transaction
                except AlreadyExists:
                    # a writer that does not share our lock took this millisecond; or an answer got lost, and what is
                    # there of ours is taken for that of a writer without a heartbeat
                    heartbeat.release(delete=True)
                except BaseException:
                    heartbeat.release()
                    raise
            time = following_instant(time)
    raise CommitError(f"other writers took {_ATTEMPTS} instants up to {time}; try again")


def schedule(
    storage: Storage,
    timeline: Timeline,
    action: str,
    plan: Callable[[Timeline, str], bytes | None],
    coordination: Coordination = _ALONE,
) -> Instant | None:
    """Put the plan of a service on the timeline: `compaction`, `clean`, ...

    Args:
        storage: The table's files.
        timeline: Says layout and folders.
        action: As in the name of the requested file.
        plan: Called under the table's lock with the timeline as it is then and the instant's time, so that nothing is
            completed between what it sees and the instant; gives the content of the requested file, or None where
            there is nothing to do.
        coordination: The writer's clock.

    Returns:
        The requested instant; None where there is nothing to do.

    Raises:
        CommitConflict: A compaction in timeline layout 1, while a delta commit is pending: its logs are named by the
            slices that the compaction ends, and would be lost.
        CommitError: As `begin`.
    """
    with table_lock(storage, coordination):
        current = timeline.reloaded(storage)
        if current.layout == 1 and action == "compaction":
            for pending in current.pending:
                if pending.action == "deltacommit":
                    raise CommitConflict(
                        f"deltacommit {pending.time} is being written, and a compaction that began meanwhile would "
                        "lose its rows; schedule the compaction again once it is completed"
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
    raise CommitError(f"other writers took {_ATTEMPTS} instants up to {time}; try again")


def start(
    storage: Storage,
    timeline: Timeline,
    instant: Instant,
    coordination: Coordination = _ALONE,
) -> Transaction:
    """Begin to carry out a compaction that was scheduled. What an attempt before this one left is rolled back first.

    Args:
        storage: The table's files.
        timeline: What is read; has the instant.
        instant: Requested or inflight.
        coordination: The writer's clock and heartbeat.

    Raises:
        CommitConflict: Another writer is carrying it out.
        CommitError: It is not pending.
    """
    with table_lock(storage, coordination):
        current = timeline.reloaded(storage)
        known = next((i for i in current.pending if (i.time, i.action) == (instant.time, instant.action)), None)
        if known is None:
            raise CommitError(f"{instant.action} {instant.time} is not pending: it was completed or rolled back")
        if known.state is State.INFLIGHT:
            if is_alive(storage, current, known, coordination.pace, coordination.clock()):
                raise CommitConflict(f"another writer is carrying out {instant.action} {instant.time}")
            roll_back(storage, current, known, coordination.clock)
        heartbeat = start_heartbeat(storage, instant.time, coordination.pace)
        if heartbeat is None:
            raise CommitConflict(f"another writer is carrying out {instant.action} {instant.time}")
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


def _check_clock(storage: Storage, timeline: Timeline, now: datetime) -> None:
    if timeline.last_time is None:
        return
    ahead = instant_datetime(timeline.last_time, timeline.zone) - now
    if ahead > _TOLERANCE:
        zone = "the zone of its writers" if timeline.is_local else "UTC"
        warnings.warn(
            f"the newest instant of {storage.uri}, {timeline.last_time} ({zone}), is {_duration(ahead)} ahead of this "
            "machine's clock; this write takes a later instant than that, but other writers may not: set the clocks "
            "of all writers, and see hoodie.table.timeline.timezone if Hudi writes to the table",
            ClockBehind,
            stacklevel=4,
        )


def _duration(time: timedelta) -> str:
    minutes = round(time.total_seconds() / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"
