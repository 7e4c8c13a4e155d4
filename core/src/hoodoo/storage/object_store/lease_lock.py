"""Leases: a file that states its holder and until when it is valid, changed by compare-and-swap alone.

The content is that of Hudi's StorageBasedLockProvider. A thread of the holder renews the lease while the process
lives; after its death the lease is free at the end of its validity, plus some seconds for clocks that differ. A holder
that was stopped for that long has lost the lease: `renew` raises then, and must be called before the guarded work is
completed.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import uuid
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from attrs import define, field, frozen

from hoodoo.errors import LockLost, StorageError
from hoodoo.storage.base import Lock, Missing

__all__ = ["Lease", "LeaseTerm", "Swapping", "lease_holder", "try_lease"]

_SKEW_SECONDS = 5.0
"""How far the clocks of two writers may be apart."""

_log = logging.getLogger(__name__)


@frozen
class LeaseTerm:
    """How long a lease is valid after it was taken or renewed, and how often its holder renews it; in seconds."""

    validity: float = 30.0
    interval: float = 10.0


@runtime_checkable
class Swapping(Protocol):
    """A store with compare-and-swap."""

    @property
    def uri(self) -> str:
        """The table."""
        ...

    def versioned(self, path: str) -> tuple[bytes, dict[str, str]]:
        """The content and its version. Raises `Missing`."""
        ...

    def swap(self, path: str, body: bytes, version: Mapping[str, str] | None) -> dict[str, str] | None:
        """Put in place of a version, or of nothing (None). None where there is another version; it may be ours."""
        ...

    def delete(self, path: str) -> None:
        """Remove."""
        ...


@define(eq=False)
class Lease:
    """A lease that is held, kept by a thread of its own until it is released."""

    _store: Swapping
    _path: str
    _owner: str
    _term: LeaseTerm
    _version: Mapping[str, str]
    _ended: threading.Event = field(factory=threading.Event, init=False)
    _released: bool = field(default=False, init=False)
    _using: threading.Lock = field(factory=threading.Lock, init=False)

    def __attrs_post_init__(self) -> None:
        threading.Thread(target=self._keep, name=f"lease-{self._path}", daemon=True).start()

    def renew(self) -> None:
        """Make it valid from now on. Raises `LockLost` where another writer took it, `StorageError` on other faults."""
        with self._using:
            if not self._ended.is_set():
                self._put(_body(self._owner, self._term))
            elif not self._released:
                raise self._lost()

    def release(self, *, delete: bool = False) -> None:
        """Give it back; where the store fails it ends by itself, and nothing is raised."""
        with self._using:
            self._released = True
            if self._ended.is_set():
                return
            try:
                # whoever deletes must still hold it by then
                self._put(_body(self._owner, self._term, expired=not delete))
                if delete:
                    self._store.delete(self._path)
            except StorageError as error:
                if not _is_deleted(self._store, self._path):
                    _log.warning("a lock could not be released, and expires: %s", error)
            finally:
                self._ended.set()

    def _put(self, body: bytes) -> None:
        version = self._store.swap(self._path, body, self._version) or _ours(self._store, self._path, self._owner)
        if version is None:
            self._ended.set()
            raise self._lost()
        self._version = version

    def _lost(self) -> LockLost:
        return LockLost(
            f"renew '{self._path}': the lock of {self._store.uri} ended, and another writer took it; "
            "this process was stopped for too long, or cut off from the store"
        )

    def _keep(self) -> None:
        while not self._ended.wait(self._term.interval):
            try:
                self.renew()
            except StorageError as error:
                _log.warning("a lock could not be renewed: %s", error)


class _Unheld:
    """Says that nobody held the lock; nothing has to be given back."""

    def renew(self) -> None:
        """Nothing."""

    def release(self, *, delete: bool = False) -> None:
        """Nothing."""


def try_lease(
    store: Swapping, path: str, *, shared: bool = False, term: LeaseTerm = LeaseTerm(), owner: str = ""
) -> Lock | None:
    """Take a lease, or return None where it is held.

    Args:
        store: Where the lease lies.
        path: The file, relative to the table.
        shared: Only find out whether the lease is held; others can take it then.
        term: Validity and renewal.
        owner: A text that begins the name of the owner, which ends with a random part.
    """
    version: Mapping[str, str] | None
    try:
        body, version = store.versioned(path)
    except Missing:
        version = None
    else:
        if _is_held(body, f"'{path}' of {store.uri}"):
            return None
    if shared:
        return _Unheld()
    owner = " ".join(filter(None, (owner, uuid.uuid4().hex)))
    taken = store.swap(path, _body(owner, term), version) or _ours(store, path, owner)
    return None if taken is None else Lease(store, path, owner, term, taken)


def lease_holder(store: Swapping, path: str) -> str | None:
    """Return the owner that the file of a lease states; None where the lease is free or cannot be read."""
    try:
        body, _ = store.versioned(path)
        held = _is_held(body, path)
    except StorageError:
        return None
    return str(_parsed(body).get("owner", "")) if held else None


def _ours(store: Swapping, path: str, owner: str) -> Mapping[str, str] | None:
    """The version that is there if it is the owner's: of a swap whose answer got lost."""
    try:
        body, version = store.versioned(path)
    except Missing:
        return None
    return version if _parsed(body).get("owner") == owner else None


def _is_deleted(store: Swapping, path: str) -> bool:
    """Return whether the object of a lock is gone: a rollback deletes the heartbeat of its instant."""
    try:
        store.versioned(path)
    except Missing:
        return True
    except StorageError:
        return False
    return False


def _body(owner: str, term: LeaseTerm, *, expired: bool = False) -> bytes:
    until = round((_now() + term.validity) * 1000)
    # stores tell versions by their content: two renewals in one millisecond must differ as well
    return json.dumps({"expired": expired, "validUntil": until, "owner": owner, "renewal": uuid.uuid4().hex}).encode()


def _is_held(body: bytes, what: str) -> bool:
    if not body:
        return False
    said = _parsed(body)
    until = said.get("validUntil")
    if not isinstance(until, int):
        raise StorageError(f"lock: {what} is no lock that is known; remove it if no writer is at work", code="lock")
    return not said.get("expired") and _now() <= until / 1000 + _SKEW_SECONDS


def _parsed(body: bytes) -> dict[str, object]:
    try:
        said = json.loads(body)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _now() -> float:
    return time.time()
