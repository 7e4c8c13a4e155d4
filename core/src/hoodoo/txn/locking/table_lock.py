"""The lock of a table: held by the writer that begins, completes or rolls back an instant."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from attrs import frozen

from hoodoo.errors import LockTimeout, StorageError
from hoodoo.storage import Lock, Storage
from hoodoo.txn.locking.coordination import Coordination

__all__ = ["LOCK_FILE", "TableLock", "table_lock"]

LOCK_FILE = ".hoodie/.hoodoo.lock"
_log = logging.getLogger(__name__)
_ALONE = Coordination()
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05
"""Seconds between two attempts; random, since of several writers with one rhythm some would hardly get the lock."""


class _Renewable(Protocol):
    def renew(self) -> None: ...


@frozen
class TableLock:
    """The lock of a table that is held: hoodoo's own, and that of the lock provider where one is used."""

    own: Lock
    provided: _Renewable | None

    def renew(self) -> None:
        """Make sure that the lock is still held, and make it last from now on.

        Raises:
            LockLost: It is not.
            StorageError: The store or the provider's service failed.
        """
        self.own.renew()
        self.verify()

    def verify(self) -> None:
        """As `renew`, for the provider's lock alone: writers that have none do nothing more than before."""
        if self.provided is not None:
            self.provided.renew()


@contextmanager
def table_lock(storage: Storage, coordination: Coordination = _ALONE, timeout: float = 60.0) -> Iterator[TableLock]:
    """Hold the table's lock, for the short sections that begin, complete or roll back an instant.

    It is not reentrant. hoodoo's own lock keeps out hoodoo's own writers. The lock of a provider, which is taken after
    it, keeps out all writers that use that provider. In an object store a lock ends where its holder shows no sign of
    life for a while: renew it before what cannot be taken back.

    Args:
        storage: The table's files.
        coordination: Has the lock provider, if there is one.
        timeout: Seconds to wait for another hoodoo writer; as long as for the provider's lock where that is longer.

    Raises:
        LockTimeout: Another writer held the lock all that time.
    """
    provider = coordination.lock
    if provider is not None:
        timeout = max(timeout, provider.wait.total)
    own = _own(storage, timeout)
    try:
        if provider is None:
            yield TableLock(own, None)
        else:
            with provider.held() as held:
                yield TableLock(own, held)
    finally:
        _release(storage, own)


def _own(storage: Storage, timeout: float) -> Lock:
    deadline = time.monotonic() + timeout
    while (lock := storage.try_lock(LOCK_FILE)) is None:
        if time.monotonic() >= deadline:
            raise LockTimeout(
                f"another writer has held the lock of {storage.uri} ({LOCK_FILE}) for {timeout:g} s; try again later"
            )
        time.sleep(random.uniform(_SHORTEST_PAUSE, _LONGEST_PAUSE))  # noqa: S311 - no secret
    return lock


def _release(storage: Storage, own: Lock) -> None:
    try:
        own.release()
    except StorageError as error:
        # what the lock guarded is done; the lock of a process ends with it, and a lease after a while
        _log.warning("the lock of %s could not be released: %s", storage.uri, error)
