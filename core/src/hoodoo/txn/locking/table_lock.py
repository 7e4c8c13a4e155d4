"""The table lock, held by the writer that begins, completes or rolls back an instant."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from attrs import frozen

from hoodoo.errors import LockTimeout, StorageError
from hoodoo.storage import HOODIE_FOLDER, CompareAndSwapStore, Lock, Storage
from hoodoo.txn.locking.coordination import Coordination

__all__ = ["LOCK_FILE", "TableLock", "table_lock"]

LOCK_FILE = f"{HOODIE_FOLDER}/.hoodoo.lock"
_log = logging.getLogger(__name__)
_DEFAULT_COORDINATION = Coordination()
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05
"""Bounds in seconds of the random pause between two attempts.

With equal pauses, some writers might never get the lock.
"""


class _Renewable(Protocol):
    def renew(self) -> None: ...


@frozen
class TableLock:
    """Held lock of a table: hoodoo's own lock, and the lock of the lock provider if one is used.

    Attributes:
        own: hoodoo's own lock.
        provided: The lock of the lock provider; None without a provider.
    """

    own: Lock
    provided: _Renewable | None

    def renew(self) -> None:
        """Check that the lock is still held, and extend it.

        Raises:
            LockLost: The lock is not held.
            StorageError: The store or the provider's service failed.
            PluginFault: The provider raised an exception that is not a `HoodooError`.
        """
        self.own.renew()
        self.verify()

    def verify(self) -> None:
        """Renew only the provider's lock; do nothing without a provider. Errors as in `renew`."""
        if self.provided is not None:
            self.provided.renew()


@contextmanager
def table_lock(
    storage: Storage, coordination: Coordination = _DEFAULT_COORDINATION, timeout: float = 60.0
) -> Iterator[TableLock]:
    """Hold the table lock, for the short sections that begin, complete or roll back an instant.

    The lock is not reentrant. hoodoo's own lock excludes hoodoo's writers. The provider's lock, which is acquired
    second, excludes all writers that use that provider. In an object store a lock expires if its holder does not renew
    it: renew it before a step that cannot be undone.

    Args:
        storage: The table's files.
        coordination: The source of the lock provider, if one is used.
        timeout: Seconds to wait for another hoodoo writer; raised to the longest wait for the provider's lock.

    Raises:
        LockTimeout: Another writer held the lock during the whole wait.
        StorageError: The store failed.
        PluginFault: The lock provider raised an exception that is not a `HoodooError`.
    """
    provider = coordination.lock
    if provider is not None:
        timeout = max(timeout, provider.wait.total)
    own = _acquire_own(storage, timeout)
    try:
        if provider is None:
            yield TableLock(own, None)
        else:
            with provider.held() as held:
                yield TableLock(own, held)
    finally:
        _release(storage, own)


def _acquire_own(storage: Storage, timeout: float) -> Lock:
    deadline = time.monotonic() + timeout
    # the holder of a lock keeps it for at least one interval of the store
    interval = storage.write_pace.interval if isinstance(storage, CompareAndSwapStore) else 0.0
    longest = max(_LONGEST_PAUSE, interval / 2)
    while (lock := storage.try_lock(LOCK_FILE)) is None:
        if time.monotonic() >= deadline:
            raise LockTimeout(
                f"another writer held the lock of {storage.uri} ({LOCK_FILE}) for {timeout:g} s; try again later"
            )
        time.sleep(random.uniform(_SHORTEST_PAUSE, longest))  # noqa: S311 - no secret
    return lock


def _release(storage: Storage, own: Lock) -> None:
    try:
        own.release()
    except StorageError as error:
        # the guarded work is done; a file lock ends with its process, and a lease expires
        _log.warning("the lock of %s could not be released: %s", storage.uri, error)
