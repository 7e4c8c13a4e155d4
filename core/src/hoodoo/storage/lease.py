"""Locks in an object store: an object that says who holds it and until when, changed by compare-and-swap alone.

The content is that of Hudi's storage-based lock. A holder makes it last longer for as long as it lives; once it is dead
nobody does, and the lock is free after `LEASE_SECONDS` and some more for clocks that differ. A holder that was stopped
for that long has lost the lock: `renew` raises then, and it must be called before what the lock guards is done.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import uuid
from collections.abc import Mapping
from typing import Protocol

from attrs import define, field

from hoodoo.errors import StorageError
from hoodoo.storage.base import Lock, Missing

__all__ = ["LEASE_SECONDS", "Lease", "Swapping", "try_lease"]

LEASE_SECONDS = 30.0
_SKEW_SECONDS = 5.0
"""How far the clocks of two writers may be apart."""

_log = logging.getLogger(__name__)


class Swapping(Protocol):
    """What a lease needs of a store."""

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
    _version: Mapping[str, str]
    _ended: threading.Event = field(factory=threading.Event, init=False)
    _using: threading.Lock = field(factory=threading.Lock, init=False)

    def __attrs_post_init__(self) -> None:
        threading.Thread(target=self._keep, name=f"lease-{self._path}", daemon=True).start()

    def renew(self) -> None:
        """Make it last from now on. Raises `StorageError` where another writer took it, or the store fails."""
        with self._using:
            if not self._ended.is_set():
                self._put(_body(self._owner))

    def release(self, *, delete: bool = False) -> None:
        """Give it back; where the store fails it ends by itself, and nothing is raised."""
        with self._using:
            if self._ended.is_set():
                return
            try:
                # whoever deletes must still hold it by then
                self._put(_body(self._owner, expired=not delete))
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
            raise StorageError(
                f"renew '{self._path}': the lock of {self._store.uri} ended, and another writer took it; "
                "this process was stopped for too long, or cut off from the store",
                code="lock_lost",
            )
        self._version = version

    def _keep(self) -> None:
        while not self._ended.wait(LEASE_SECONDS / 3):
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


def try_lease(store: Swapping, path: str, *, shared: bool = False) -> Lock | None:
    """Take a lease, or None where somebody has it. A shared one keeps nobody out: it only says that nobody has it."""
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
    owner = uuid.uuid4().hex
    taken = store.swap(path, _body(owner), version) or _ours(store, path, owner)
    return None if taken is None else Lease(store, path, owner, taken)


def _ours(store: Swapping, path: str, owner: str) -> Mapping[str, str] | None:
    """The version that is there if it is the owner's: of a swap whose answer got lost."""
    try:
        body, version = store.versioned(path)
    except Missing:
        return None
    return version if _parsed(body).get("owner") == owner else None


def _is_deleted(store: Swapping, path: str) -> bool:
    """Whether the object of a lock is gone: a rollback deletes the heartbeat of its instant."""
    try:
        store.versioned(path)
    except Missing:
        return True
    except StorageError:
        return False
    return False


def _body(owner: str, *, expired: bool = False) -> bytes:
    until = round((_now() + LEASE_SECONDS) * 1000)
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
