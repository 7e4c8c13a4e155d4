"""The table's lock: who may begin, complete or roll back an instant just now."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from hoodoo.errors import CommitError
from hoodoo.storage import Storage

__all__ = ["LOCK_FILE", "table_lock"]

LOCK_FILE = ".hoodie/.hoodoo.lock"
_PAUSE_SECONDS = 0.01


@contextmanager
def table_lock(storage: Storage, timeout: float = 60.0) -> Iterator[None]:
    """Hold the table's lock, for the short sections that begin, complete or roll back an instant.

    It is not reentrant, and it keeps out hoodoo's own writers only.

    Args:
        storage: The table's files.
        timeout: Seconds to wait for another holder.

    Raises:
        CommitError: Another writer held the lock all that time.
    """
    deadline = time.monotonic() + timeout
    while (lock := storage.try_lock(LOCK_FILE)) is None:
        if time.monotonic() >= deadline:
            raise CommitError(
                f"another writer has held the lock of {storage.uri} ({LOCK_FILE}) for {timeout:g} s; try again later"
            )
        time.sleep(_PAUSE_SECONDS)
    try:
        yield
    finally:
        lock.release()
