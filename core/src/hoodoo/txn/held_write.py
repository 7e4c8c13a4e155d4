"""Writes that keep the table lock from their start to their commit, instead of a heartbeat and checks of markers.

In an object store each heartbeat, marker check and second lock is a request. A write whose tasks run in this process
and end within seconds needs none of them: no other writer can roll its instant back without the table lock. A
write that takes longer is published: it starts its heartbeat, opens its markers, releases the lock, and continues as
any other write.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack

from attrs import define, field

from hoodoo.errors import CommitError, HoodooError
from hoodoo.storage import RemoteStore, Storage
from hoodoo.txn.heartbeat import Heartbeat, HeartbeatPace, start_heartbeat
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.table_lock import TableLock

__all__ = ["LONGEST_HOLD", "HeldWrite", "can_keep_lock", "held_write"]

LONGEST_HOLD = 2.0
"""Seconds for which a write keeps the table lock while its tasks run."""

_log = logging.getLogger(__name__)
_held: dict[tuple[str, str], HeldWrite] = {}


def can_keep_lock(storage: Storage, coordination: Coordination) -> bool:
    """Return whether a writer may keep the table lock: in a remote store, if there is no lock provider."""
    return coordination.lock is None and isinstance(storage, RemoteStore)


def held_write(storage: Storage, instant: str) -> HeldWrite | None:
    """Return the write of this process that keeps the table lock for its instant; None for any other instant."""
    return _held.get((storage.uri, instant))


@define(eq=False)
class HeldWrite:
    """Table lock that a write keeps, and the files that its tasks announced.

    Attributes:
        storage: The table's files.
        instant: The instant time of the write.
        lock: The held lock.
        files: The data files that tasks announced: paths relative to the table, each with the kind of its marker.
        heartbeat: The heartbeat of a published write; None before.
    """

    storage: Storage
    instant: str
    lock: TableLock
    _open_markers: Callable[[], None]
    _pace: HeartbeatPace
    _release: ExitStack
    files: dict[str, str] = field(factory=dict, init=False)
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

        If the heartbeat or the markers fail, keep the lock for longer. After `take` or `end`, do nothing.
        """
        with self._mutex:
            if self._timer is None:
                return
            try:
                heartbeat = start_heartbeat(self.storage, self.instant, self._pace)
                if heartbeat is None:
                    raise CommitError(f"another writer has the heartbeat of instant {self.instant}")
                try:
                    self._open_markers()
                except BaseException:
                    heartbeat.release(delete=True)
                    raise
            except HoodooError as error:
                _log.warning("instant %s keeps the lock of %s for longer: %s", self.instant, self.storage.uri, error)
                self._start_timer()
                return
            self.heartbeat = heartbeat
            self._leave()
            self._keeps = False
            self._release.close()

    def _start_timer(self) -> None:
        self._timer = threading.Timer(LONGEST_HOLD, self.publish)
        self._timer.daemon = True
        self._timer.start()

    def _leave(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        _held.pop((self.storage.uri, self.instant), None)
