"""The table's lock: who may begin, complete or roll back an instant just now."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from hoodoo.errors import CommitError
from hoodoo.storage import Lock, Storage

__all__ = ["LOCK_FILE", "table_lock"]

LOCK_FILE = ".hoodie/.hoodoo.lock"
_PAUSE_SECONDS = 0.01
_LONGEST_PAUSE_SECONDS = 0.1


@contextmanager
def table_lock(storage: Storage, timeout: float = 60.0) -> Iterator[Lock]:
    """Hold the table's lock, for the short sections that begin, complete or roll back an instant.

    It is not reentrant, and it keeps out hoodoo's own writers only. In an object store it ends where its holder shows
    no sign of life for a while: renew it before what cannot be taken back.

    Args:
        storage: The table's files.
        timeout: Seconds to wait for another holder.

    Raises:
        CommitError: Another writer held the lock all that time.
    """
    deadline = time.monotonic() + timeout
    pause = _PAUSE_SECONDS
    while (lock := storage.try_lock(LOCK_FILE)) is None:
        if time.monotonic() >= deadline:
            raise CommitError(
                f"another writer has held the lock of {storage.uri} ({LOCK_FILE}) for {timeout:g} s; try again later"
            )
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
    try:
        yield lock
    finally:
        lock.release()
