"""The table's lock: who may begin, complete or roll back an instant just now."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hoodoo.errors import CommitError, StorageError
from hoodoo.storage import Lock, Storage

__all__ = ["LOCK_FILE", "table_lock"]

LOCK_FILE = ".hoodie/.hoodoo.lock"
_log = logging.getLogger(__name__)
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05
"""Seconds between two attempts; random, since of several writers with one rhythm some would hardly get the lock."""


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
    while (lock := storage.try_lock(LOCK_FILE)) is None:
        if time.monotonic() >= deadline:
            raise CommitError(
                f"another writer has held the lock of {storage.uri} ({LOCK_FILE}) for {timeout:g} s; try again later"
            )
        time.sleep(random.uniform(_SHORTEST_PAUSE, _LONGEST_PAUSE))  # noqa: S311 - no secret
    try:
        yield lock
    finally:
        try:
            lock.release()
        except StorageError as error:
            # what the lock guarded is done; the lock of a process ends with it, and a lease after a while
            _log.warning("the lock of %s could not be released: %s", storage.uri, error)
