"""The sign of life of a writer: `.hoodie/.heartbeat/<instant>`, which Hudi's own writers look at as well.

A writer of ours holds a lock on the file while it runs, and modifies it now and then. Whether one of ours is alive is
seen by the lock, at once after its death; whether a Hudi writer is alive is seen by how long ago it modified its file,
which it leaves empty. Hudi sees the life of our writers in the same way.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection
from datetime import datetime, timedelta

from attrs import define, field, frozen

from hoodoo.storage import Lock, Missing, Storage, name_of
from hoodoo.timeline import Instant, State, Timeline

__all__ = [
    "Heartbeat",
    "HeartbeatPace",
    "clear_heartbeat",
    "has_our_heartbeat",
    "is_alive",
    "start_heartbeat",
    "sweep_heartbeats",
]

_FOLDER = ".hoodie/.heartbeat"
_log = logging.getLogger(__name__)


@frozen
class HeartbeatPace:
    """How often writers show that they are alive, and when they count as dead.

    Attributes:
        interval: Seconds between two signs; `hoodie.client.heartbeat.interval_in_ms`.
        misses: Signs that may be missing; `hoodie.client.heartbeat.tolerable.misses`.
    """

    interval: float = 60.0
    misses: int = 2

    @property
    def patience(self) -> timedelta:
        """How long ago the last sign of a writer that is alive may be."""
        return timedelta(seconds=self.interval * self.misses)


@define(eq=False)
class Heartbeat:
    """The sign of life of one writer, from `start_heartbeat` until it is released or the process ends."""

    instant: str
    _lock: Lock
    _pace: HeartbeatPace
    _stopped: threading.Event = field(factory=threading.Event, init=False)
    _using: threading.Lock = field(factory=threading.Lock, init=False)

    def __attrs_post_init__(self) -> None:
        threading.Thread(target=self._run, name=f"heartbeat-{self.instant}", daemon=True).start()

    def release(self, *, delete: bool = False) -> None:
        """Give no more signs; with `delete`, the file goes too. A second call does nothing."""
        self._stopped.set()
        with self._using:
            self._lock.release(delete=delete)

    def _run(self) -> None:
        while not self._stopped.wait(self._pace.interval):
            try:
                with self._using:
                    self._lock.renew()
            except OSError as error:
                # if it is noticed, others roll the instant back, and the commit finds that out under the table's lock
                _log.warning("the heartbeat of %s could not be renewed: %s", self.instant, error)


def start_heartbeat(storage: Storage, instant: str, pace: HeartbeatPace) -> Heartbeat | None:
    """Show that the writer of an instant is alive. None where another writer of ours holds this instant."""
    lock = storage.try_lock(_path(instant))
    if lock is None:
        return None
    try:
        # a file that was there already tells nobody that somebody is alive now
        lock.renew()
    except OSError:
        lock.release()
        raise
    return Heartbeat(instant, lock, pace)


def is_alive(storage: Storage, timeline: Timeline, instant: Instant, pace: HeartbeatPace, now: datetime) -> bool:
    """Whether the writer of a pending instant is alive.

    Hudi's writers have no heartbeat before their instant is on the timeline, and none at all where they believe that
    they are alone: they count as alive for as long after they changed the timeline as after a heartbeat.

    Args:
        storage: The table's files.
        timeline: Has the instant.
        instant: Pending.
        pace: When the writers of others count as dead.
        now: The time, with a zone.
    """
    path = _path(instant.time)
    try:
        if not storage.read(path):
            return now - storage.modified(path) <= pace.patience
    except Missing:
        signs = [
            sign
            for state in (State.REQUESTED, State.INFLIGHT)
            if (sign := _modified(storage, timeline, instant.at(state)))
        ]
        return bool(signs) and now - max(signs) <= pace.patience
    lock = storage.try_lock(path, shared=True)
    if lock is None:
        return True
    lock.release()
    return False


def has_our_heartbeat(storage: Storage, instant: str) -> bool:
    """Whether a pending instant is of a writer of ours, alive or dead."""
    try:
        return bool(storage.read(_path(instant)))
    except Missing:
        return False


def sweep_heartbeats(storage: Storage, pending: Collection[str]) -> list[str]:
    """Remove what dead writers of ours left for instants that are not pending. Call it under the table's lock.

    Returns:
        The instants.
    """
    swept = []
    for info in storage.list(_FOLDER):
        instant = name_of(info.path)
        if instant in pending or not info.size:
            continue
        lock = storage.try_lock(info.path)
        if lock is not None:
            lock.release(delete=True)
            swept.append(instant)
    return swept


def clear_heartbeat(storage: Storage, instant: str) -> None:
    """Remove what a dead writer left."""
    storage.delete(_path(instant))


def _path(instant: str) -> str:
    return f"{_FOLDER}/{instant}"


def _modified(storage: Storage, timeline: Timeline, instant: Instant) -> datetime | None:
    try:
        return storage.modified(timeline.path_of(instant))
    except Missing:
        return None
