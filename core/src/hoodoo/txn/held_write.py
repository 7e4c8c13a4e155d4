"""Writes that keep the table lock from their start to their commit, instead of a heartbeat and checks of markers.

In an object store each heartbeat, marker check and second lock is a request. A write whose files are all stored by this
process within seconds needs none of them: no other writer can roll its instant back without the table lock. A write
that takes longer is published: it starts its heartbeat, opens its markers, releases the lock, and continues as any
other write.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack

from attrs import define, field

from hoodoo.errors import CommitError, LockLost
from hoodoo.storage import RemoteStore, Storage
from hoodoo.txn.heartbeat import Heartbeat, HeartbeatPace, start_heartbeat
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import TableLock

__all__ = ["LONGEST_HOLD", "HeldWrite", "can_keep_lock", "held_write"]

LONGEST_HOLD = 2.0
"""Seconds after which a write is published, unless its commit or rollback has begun."""

_log = logging.getLogger(__name__)
_held: dict[tuple[str, str], HeldWrite] = {}


def can_keep_lock(storage: Storage, coordination: Coordination) -> bool:
    """Return whether a writer may keep the table lock: in a remote store, if there is no lock provider."""
    return coordination.lock is None and isinstance(storage, RemoteStore)


def held_write(storage: Storage, instant: str) -> HeldWrite | None:
    """Return the write of an instant that is not published.

    The result is None for instants of other processes, and after `take`, `end` or the publication.
    """
    return _held.get((storage.uri, instant))


@define(eq=False)
class HeldWrite:
    """Table lock that a write keeps, and the files that this process announced.

    Attributes:
        storage: The table's files.
        instant: The instant time of the write.
        lock: The held lock.
        files: The data files that this process announced before the publication: paths relative to the table, each with
            the kind of its marker.
        opened: Whether the markers were opened, perhaps by a publication that failed. Other processes may then have
            announced files.
        heartbeat: The heartbeat of a published write; None before.
    """

    storage: Storage
    instant: str
    lock: TableLock
    _open_markers: Callable[[], None]
    _close_markers: Callable[[], None]
    _pace: HeartbeatPace
    _release: ExitStack
    files: dict[str, str] = field(factory=dict, init=False)
    opened: bool = field(default=False, init=False)
    heartbeat: Heartbeat | None = field(default=None, init=False)
    _keeps: bool = field(default=True, init=False)
    _mutex: threading.Lock = field(factory=threading.Lock, init=False)
    _timer: threading.Timer | None = field(default=None, init=False)

    def start(self) -> None:
        """Register the write, and publish it after `LONGEST_HOLD` seconds unless `take` or `end` is called before."""
        _held[self.storage.uri, self.instant] = self
        self._start_timer()

    def take(self) -> bool:
        """Prevent a later publication of the write, and return whether the write still keeps the lock.

        From this call on, tasks check their markers. Call this method when no task of a successful write runs any more,
        or before a rollback.
        """
        with self._mutex:
            self._leave()
            return self._keeps

    def end(self) -> None:
        """Release the lock. A second call does nothing."""
        with self._mutex:
            self._leave()
            self._keeps = False
            self._release.close()

    def publish(self) -> None:
        """Start the heartbeat, open the markers, and release the lock.

        If this fails, try again after `LONGEST_HOLD` seconds; after the loss of the lock, leave the decision to the
        commit. After `take` or `end`, do nothing.
        """
        with self._mutex:
            if self._timer is None:
                return
            try:
                self.heartbeat = self._published()
            except LockLost as lost:
                _log.warning("instant %s of %s is not published: %s", self.instant, self.storage.uri, lost)
                return
            except Exception as error:  # noqa: BLE001 - the thread of the timer has no caller
                _log.warning("instant %s keeps the lock of %s for longer: %s", self.instant, self.storage.uri, error)
                self._start_timer()
                return
            self._leave()
            self._keeps = False
            self._release.close()

    def _published(self) -> Heartbeat:
        """Start the heartbeat and open the markers, and verify that the lock was held until then.

        Another writer may have rolled the instant back if this process was suspended. It would not find files that
        tasks announce afterwards.
        """
        heartbeat = start_heartbeat(self.storage, self.instant, self._pace)
        if heartbeat is None:
            raise CommitError(f"another writer has the heartbeat of instant {self.instant}")
        try:
            self.opened = True
            self._open_markers()
            self.lock.renew()
        except BaseException:
            try:
                self._close_markers()
            finally:
                heartbeat.release(delete=True)
            raise
        return heartbeat

    def _start_timer(self) -> None:
        self._timer = threading.Timer(LONGEST_HOLD, self.publish)
        self._timer.daemon = True
        self._timer.start()

    def _leave(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        _held.pop((self.storage.uri, self.instant), None)
