"""A lock in the store of the table: a file with its holder and its expiry, changed by conditional writes."""

from __future__ import annotations

from typing import Any

import attrs
from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.plugin import HeldLock, LockTarget, hookimpl, option
from hoodoo.storage import HOODIE_FOLDER, CompareAndSwapStore, LeaseTerm, lease_holder, try_lease

__version__ = "0.1.0"

_FILE = f"{HOODIE_FOLDER}/.locks/table_lock.json"
_KEY = "hoodie.write.lock.storage."
_LEAST_RENEWALS = 10


def _at_least(minimum: int) -> Any:
    def check(instance: Any, attribute: attrs.Attribute[Any], value: int) -> None:
        if value < minimum:
            raise ValueError(f"{attribute.name} is {value} and must be at least {minimum} (seconds)")

    return check


@frozen
class StorageBasedLock:
    """Lock provider StorageBasedLockProvider of Hudi 1.1 and later.

    The file is `.hoodie/.locks/table_lock.json`, which remains when the lock is released. The holder renews the lock
    while its process is alive. The lock of a dead holder is free at the end of its validity; hoodoo writers wait 5
    seconds more, because clocks may differ. Hudi supports this lock in S3, Google Cloud Storage and Azure. On a file
    system, only hoodoo writers can use it.
    """

    validity: int = option(
        default=300,
        key=_KEY + "validity.timeout.secs",
        help="Seconds for which the lock is valid after it was acquired or renewed; at least 10 times `renewal`.",
        validator=_at_least(10),
    )
    renewal: int = option(
        default=30,
        key=_KEY + "renew.interval.secs",
        help="Seconds between two renewals.",
        validator=_at_least(1),
    )
    heartbeat: int | None = option(
        default=None, key=_KEY + "heartbeat.poll.secs", help="The name of `renewal` in Hudi 1.0.2."
    )

    def __attrs_post_init__(self) -> None:
        if self._interval < 1 or self.validity < _LEAST_RENEWALS * self._interval:
            raise ValueError(
                f"validity ({_KEY}validity.timeout.secs) is {self.validity} s and must be at least {_LEAST_RENEWALS} "
                f"times renewal ({_KEY}renew.interval.secs or heartbeat.poll.secs), which is {self._interval} s and "
                "must be at least 1 s"
            )

    @property
    def _interval(self) -> int:
        return self.renewal if self.heartbeat is None else self.heartbeat

    def check(self, target: LockTarget) -> None:
        """Raise `OptionError` for a store without conditional writes."""
        self._store(target)

    def try_acquire(self, target: LockTarget) -> HeldLock | None:
        """Acquire the lock; return None if the lock of another holder is valid, or another writer is faster.

        The result is also None if the store refuses the write because of too many requests.
        """
        return try_lease(self._store(target), _FILE, term=LeaseTerm(self.validity, self._interval), owner=target.owner)

    def describe(self, target: LockTarget) -> str:
        """Return a description of the file and its owner, or of no owner if the lock is free or cannot be read."""
        return f"'{_FILE}' of {target.uri}, held by {lease_holder(self._store(target), _FILE) or 'no writer'}"

    def _store(self, target: LockTarget) -> CompareAndSwapStore:
        if not isinstance(target.storage, CompareAndSwapStore):
            raise OptionError(
                f"lock provider 'storage-based' needs a store with conditional writes, and the store of {target.uri} "
                "does not support them; use another provider"
            )
        return target.storage


@hookimpl
def hoodoo_lock() -> type[StorageBasedLock]:
    """Return the class of the lock provider."""
    return StorageBasedLock
