"""Who may do what at the same time: the table's lock, and the sign of life of a writer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from hoodoo.errors import CommitError
from hoodoo.storage import Lock, Storage

__all__ = ["LOCK_FILE", "clear_heartbeat", "is_alive", "start_heartbeat", "table_lock"]

LOCK_FILE = ".hoodie/.hoodoo.lock"
_HEARTBEATS = ".hoodie/.heartbeat"
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


def start_heartbeat(storage: Storage, instant: str) -> Lock | None:
    """Show that the writer of an instant is alive, until the lock is released or the process ends.

    None where another writer holds this instant.
    """
    return storage.try_lock(f"{_HEARTBEATS}/{instant}")


def is_alive(storage: Storage, instant: str) -> bool:
    """Whether the writer of a pending instant is alive."""
    path = f"{_HEARTBEATS}/{instant}"
    if not storage.exists(path):
        return False
    lock = storage.try_lock(path, shared=True)
    if lock is None:
        return True
    lock.release()
    return False


def clear_heartbeat(storage: Storage, instant: str) -> None:
    """Remove what a dead writer left."""
    storage.delete(f"{_HEARTBEATS}/{instant}")
