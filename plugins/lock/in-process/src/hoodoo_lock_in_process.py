"""A lock between the threads of one process, one for each table; it does not exclude other processes."""

from __future__ import annotations

import threading
from collections import defaultdict

from attrs import define, frozen

from hoodoo.plugin import LockTarget, hookimpl

__version__ = "0.1.0"

_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
_owners: dict[str, str] = {}


@define(eq=False)
class _Held:
    uri: str
    _open: bool = True

    def renew(self) -> None:
        """Do nothing: the lock does not expire."""

    def release(self) -> None:
        """Free the lock. A second call has no effect."""
        if self._open:
            self._open = False
            _owners.pop(self.uri, None)
            _locks[self.uri].release()


@frozen
class InProcessLock:
    """Lock provider InProcessLockProvider of Hudi.

    Hudi's lock is in its Java process, and this lock is in this Python process: they do not exclude each other. Use
    this lock for a single writer whose options require a lock.
    """

    def try_acquire(self, target: LockTarget) -> _Held | None:
        """Acquire the table's lock; return None if a thread of this process has it."""
        if not _locks[target.uri].acquire(blocking=False):
            return None
        _owners[target.uri] = target.owner
        return _Held(target.uri)

    def describe(self, target: LockTarget) -> str:
        """Return a description of the table and the writer that has its lock."""
        return f"the lock of this process for {target.uri}, held by {_owners.get(target.uri, 'no writer')}"


@hookimpl
def hoodoo_lock() -> type[InProcessLock]:
    """Return the class of the lock provider."""
    return InProcessLock
