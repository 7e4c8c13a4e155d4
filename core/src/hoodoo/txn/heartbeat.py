"""Heartbeats of writers: `.hoodie/.heartbeat/<instant>`, which Hudi's writers read as well.

A hoodoo writer locks the file while it runs and modifies it at intervals. The lock shows at once whether a hoodoo
writer is alive. A Hudi writer leaves the file empty; the time of the file's last modification shows whether the writer
is alive. Hudi uses the same time for hoodoo's writers.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection
from datetime import datetime, timedelta

from attrs import define, field, frozen

from hoodoo.storage import HOODIE_FOLDER, Lock, Missing, Storage, name_of
from hoodoo.timeline import Instant, State, Timeline

__all__ = [
    "Heartbeat",
    "HeartbeatPace",
    "clear_heartbeat",
    "has_hoodoo_heartbeat",
    "heartbeats",
    "is_alive",
    "last_sign",
    "start_heartbeat",
    "sweep_heartbeats",
]

HEARTBEAT_FOLDER = f"{HOODIE_FOLDER}/.heartbeat"
_log = logging.getLogger(__name__)


@frozen
class HeartbeatPace:
    """Interval of heartbeats, and the number of missed heartbeats after which a writer is regarded as dead.

    Attributes:
        interval: Seconds between two heartbeats; `hoodie.client.heartbeat.interval_in_ms`.
        misses: Number of heartbeats that may be missing; `hoodie.client.heartbeat.tolerable.misses`.
    """

    interval: float = 60.0
    misses: int = 2

    @property
    def max_age(self) -> timedelta:
        """Return the maximum age of the last heartbeat of a live writer."""
        return timedelta(seconds=self.interval * self.misses)


@define(eq=False)
class Heartbeat:
    """Heartbeat of one writer, from `start_heartbeat` until `release` or the end of the process.

    Attributes:
        instant: The instant time of the write.
    """

    instant: str
    _lock: Lock
    _pace: HeartbeatPace
    _stopped: threading.Event = field(factory=threading.Event, init=False)
    _mutex: threading.Lock = field(factory=threading.Lock, init=False)

    def __attrs_post_init__(self) -> None:
        threading.Thread(target=self._run, name=f"heartbeat-{self.instant}", daemon=True).start()

    def release(self, *, delete: bool = False) -> None:
        """Stop the heartbeat; with `delete`, delete its file too. A second call does nothing."""
        self._stopped.set()
        with self._mutex:
            self._lock.release(delete=delete)

    def _run(self) -> None:
        while not self._stopped.wait(self._pace.interval):
            try:
                with self._mutex:
                    self._lock.renew()
            except OSError as error:
                # other writers may then roll the instant back; the commit detects that under the table lock
                _log.warning("the heartbeat of instant %s could not be renewed: %s", self.instant, error)


def start_heartbeat(storage: Storage, instant: str, pace: HeartbeatPace) -> Heartbeat | None:
    """Start the heartbeat of an instant. Return None if another hoodoo writer holds this instant."""
    lock = storage.try_lock(_path(instant))
    return None if lock is None else Heartbeat(instant, lock, pace)


def is_alive(storage: Storage, timeline: Timeline, instant: Instant, pace: HeartbeatPace, now: datetime) -> bool:
    """Return whether the writer of a pending instant is alive.

    Hudi's writers have no heartbeat before their instant is on the timeline, and none at all as single writers. For
    them, the creation of a file of the instant counts as a heartbeat.

    Args:
        storage: The table's files.
        timeline: The timeline that has the instant.
        instant: The pending instant.
        pace: A Hudi writer counts as dead if its last heartbeat is older than `pace.max_age`.
        now: The current time, with a zone.
    """
    path = _path(instant.time)
    try:
        is_hoodoo = bool(storage.read(path))
    except Missing:
        is_hoodoo = False
    if not is_hoodoo:
        last = last_sign(storage, timeline, instant)
        return last is not None and now - last <= pace.max_age
    lock = storage.try_lock(path, shared=True)
    if lock is None:
        return True
    lock.release()
    return False


def last_sign(storage: Storage, timeline: Timeline, instant: Instant) -> datetime | None:
    """Return the time of the last heartbeat of a pending instant.

    Without a heartbeat, it is the time of the last change of the instant's files on the timeline; None if there are
    none. Nothing is locked, so that a diagnosis can call this function.
    """
    try:
        return storage.modified(_path(instant.time))
    except Missing:
        states = (State.REQUESTED, State.INFLIGHT)
        changes = [change for state in states if (change := _modified(storage, timeline, instant.at(state)))]
        return max(changes, default=None)


def heartbeats(storage: Storage) -> list[str]:
    """Return the times of the instants that have a heartbeat, of live and of dead writers."""
    return sorted(name_of(info.path) for info in storage.list(HEARTBEAT_FOLDER))


def has_hoodoo_heartbeat(storage: Storage, instant: str) -> bool:
    """Return whether an instant has the heartbeat of a hoodoo writer, alive or dead."""
    try:
        return bool(storage.read(_path(instant)))
    except Missing:
        return False


def sweep_heartbeats(storage: Storage, pending: Collection[str], listing: Storage | None = None) -> list[str]:
    """Delete the heartbeats of dead hoodoo writers whose instants are not pending. Call it under the table lock.

    Args:
        storage: The table's files.
        pending: The times of the pending instants.
        listing: A storage that lists the heartbeats; by default the storage itself.

    Returns:
        The instant times of the deleted heartbeats.
    """
    swept = []
    for info in (listing or storage).list(HEARTBEAT_FOLDER):
        instant = name_of(info.path)
        if instant in pending or not info.size:
            continue
        lock = storage.try_lock(info.path)
        if lock is not None:
            lock.release(delete=True)
            swept.append(instant)
    return swept


def clear_heartbeat(storage: Storage, instant: str) -> None:
    """Delete the heartbeat of an instant that was rolled back, and the lock of a dead hoodoo writer."""
    lock = storage.try_lock(_path(instant)) if has_hoodoo_heartbeat(storage, instant) else None
    if lock is None:
        storage.delete(_path(instant))
    else:
        lock.release(delete=True)


def _path(instant: str) -> str:
    return f"{HEARTBEAT_FOLDER}/{instant}"


def _modified(storage: Storage, timeline: Timeline, instant: Instant) -> datetime | None:
    try:
        return storage.modified(timeline.path_of(instant))
    except Missing:
        return None
