"""A lock among the threads of one process, one for each table; it keeps out no other process."""

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
        """Do nothing: the lock lasts as long as the process."""

    def release(self) -> None:
        """Free the lock; a second call does nothing."""
        if self._open:
            self._open = False
            _owners.pop(self.uri, None)
            _locks[self.uri].release()


@frozen
class InProcessLock:
    """Hudi's InProcessLockProvider.

    Hudi's lock is one of its Java process, and this is one of this Python process: the two never exclude each other.
    It serves options that are written for several writers and run with one.
    """

    def try_acquire(self, target: LockTarget) -> _Held | None:
        """Take the table's lock, unless a thread of this process has it."""
        if not _locks[target.uri].acquire(blocking=False):
            return None
        _owners[target.uri] = target.owner
        return _Held(target.uri)

    def describe(self, target: LockTarget) -> str:
        """Describe the table and the writer that holds its lock."""
        return f"the lock of this process for {target.uri}, held by {_owners.get(target.uri, 'no writer')}"


@hookimpl
def hoodoo_lock() -> type[InProcessLock]:
    """Return the class of the lock provider."""
    return InProcessLock
