"""Leases: lock files with an owner and an expiry time, changed only by compare-and-swap.

A lock file has the format of Hudi's StorageBasedLockProvider. A thread of the holder renews the lease while the process
lives. Otherwise the lease is free after its expiry, plus some seconds for clock differences. A holder that was
suspended for that long may have lost the lease. `renew` raises if another writer took the lease, and must be called
before the protected work is completed.

Between two writes of a lock file, the minimum interval of the store passes (`WritePace`): a lease that another process
has just released is taken one interval later.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from attrs import define, field, frozen

from hoodoo.errors import LockLost, StorageError
from hoodoo.storage.base import Lock, Missing
from hoodoo.storage.object_store.write_pace import PacedWrites, Throttled, WritePace

__all__ = ["CompareAndSwapStore", "Lease", "LeaseTerm", "lease_holder", "try_lease"]

_SKEW_SECONDS = 5.0
"""Maximum difference between the clocks of two writers, in seconds."""

_log = logging.getLogger(__name__)

_MOST_KNOWN = 64


class _FreeLeases:
    """Versions of the leases that this process released last.

    A known version saves the request that reads the free lease.

    A version identifies one content, so that a swap of it fails if another writer took the lease in between.
    """

    def __init__(self) -> None:
        self._versions: OrderedDict[tuple[str, str], Mapping[str, str]] = OrderedDict()
        self._mutex = threading.Lock()

    def put(self, uri: str, path: str, version: Mapping[str, str]) -> None:
        with self._mutex:
            self._versions[uri, path] = version
            if len(self._versions) > _MOST_KNOWN:
                self._versions.popitem(last=False)

    def take(self, uri: str, path: str) -> Mapping[str, str] | None:
        with self._mutex:
            return self._versions.pop((uri, path), None)


_free = _FreeLeases()
_writes = PacedWrites()


@frozen
class LeaseTerm:
    """Validity of a lease after it was taken or renewed, and interval between renewals, both in seconds."""

    validity: float = 30.0
    interval: float = 10.0


@runtime_checkable
class CompareAndSwapStore(Protocol):
    """Store that replaces a file only if it still has the version that the caller expects."""

    @property
    def uri(self) -> str:
        """Return the table's location."""
        ...

    @property
    def write_pace(self) -> WritePace:
        """Return the least time between two writes of one file."""
        ...

    def versioned(self, path: str) -> tuple[bytes, dict[str, str]]:
        """Return the content of a file and its version. Raises `Missing`."""
        ...

    def swap(self, path: str, body: bytes, version: Mapping[str, str] | None) -> dict[str, str] | None:
        """Replace the given version of a file, or create the file if `version` is None.

        Return the new version, or None if the file has another version, is missing, or exists although `version` is
        None. The other version can be the caller's own, if the response of an earlier attempt was lost.

        Raises:
            Throttled: The store refused the call because of too many requests.
            StorageError: The store failed.
        """
        ...

    def delete(self, path: str) -> None:
        """Remove a file, if it exists."""
        ...


@define(eq=False)
class Lease:
    """Held lease that a thread renews until its release."""

    _store: CompareAndSwapStore
    _path: str
    _owner: str
    _term: LeaseTerm
    _version: Mapping[str, str]
    _ended: threading.Event = field(factory=threading.Event, init=False)
    _released: bool = field(default=False, init=False)
    _mutex: threading.Lock = field(factory=threading.Lock, init=False)

    def __attrs_post_init__(self) -> None:
        threading.Thread(target=self._renew_at_intervals, name=f"lease-{self._path}", daemon=True).start()

    def renew(self) -> None:
        """Renew the lease; do nothing after a release.

        Raises:
            LockLost: The lease expired and another writer took it, or its file was deleted.
            StorageError: The store failed.
        """
        with self._mutex:
            if not self._ended.is_set():
                self._put(_body(self._owner, self._term))
            elif not self._released:
                raise self._lost()

    def release(self, *, delete: bool = False) -> None:
        """End the lease, and delete its file if `delete` is true and no other writer took the lease.

        If this fails, log a warning, unless the file was deleted. A lease that cannot be ended expires.
        """
        with self._mutex:
            self._released = True
            if self._ended.is_set():
                return
            try:
                # delete the file only while the lease is held
                self._put(_body(self._owner, self._term, expired=not delete))
                if delete:
                    _delete(self._store, self._path)
                else:
                    _free.put(self._store.uri, self._path, self._version)
            except StorageError as error:
                if not _is_deleted(self._store, self._path):
                    _log.warning("a lock could not be released, and expires if it is still held: %s", error)
            finally:
                self._ended.set()

    def _put(self, body: bytes) -> None:
        _wait(self._store, self._path)
        version = _swap(self._store, self._path, body, self._version) or _version_if_owned(
            self._store, self._path, self._owner
        )
        if version is None:
            self._ended.set()
            raise self._lost()
        self._version = version

    def _lost(self) -> LockLost:
        return LockLost(
            f"renew '{self._path}': the lock of {self._store.uri} is lost: another writer took it, because this "
            "process was suspended or disconnected from the store for too long, or the file of the lock was deleted"
        )

    def _renew_at_intervals(self) -> None:
        while not self._ended.wait(self._term.interval):
            try:
                self.renew()
            except StorageError as error:
                _log.warning("a lock could not be renewed: %s", error)


class _SharedProbe:
    """Result of a shared request: the lock was free, and there is nothing to release."""

    def renew(self) -> None:
        """Do nothing."""

    def release(self, *, delete: bool = False) -> None:
        """Do nothing."""


def try_lease(
    store: CompareAndSwapStore, path: str, *, shared: bool = False, term: LeaseTerm = LeaseTerm(), owner: str = ""
) -> Lock | None:
    """Return a new lease, or None if another holder has it.

    In a store with a write pace, the function waits about two intervals at most before it takes the lease, and returns
    None at once if another thread of this process waits for the same lease. It also returns None if another writer
    changes the file in the meantime, or the store refuses the write because of too many requests.

    Args:
        store: The store of the lease.
        path: The lease's file, relative to the table.
        shared: Whether to check only that the lease is free; others can take it afterwards.
        term: Validity of the lease, and interval between its renewals.
        owner: Prefix of the owner's name, which ends with a random part.

    Raises:
        StorageError: The store failed, or the file is not a valid lock file.
    """
    owner = " ".join(filter(None, (owner, uuid.uuid4().hex)))
    known = None if shared else _free.take(store.uri, path)
    if known is not None:
        if _wait_alone(store, path) is None:
            return None
        if (taken := _swap_unless_throttled(store, path, _body(owner, term), known)) is not None:
            return Lease(store, path, owner, term, taken)
    version: Mapping[str, str] | None
    try:
        body, version = store.versioned(path)
    except Missing:
        version = None
    else:
        if known is not None and _parse(body).get("owner") == owner:
            # the response to the swap was lost
            return Lease(store, path, owner, term, version)
        if _is_held(body, f"'{path}' of {store.uri}"):
            return None
        if not shared and _is_recent(body, store.write_pace):
            _writes.found((store.uri, path), store.write_pace, version)
    if shared:
        return _SharedProbe()
    waited = _wait_alone(store, path)
    if waited is None or (waited and version is not None and not _has_version(store, path, version)):
        return None
    renewed = _swap_unless_throttled(store, path, _body(owner, term), version) or _version_if_owned(store, path, owner)
    return None if renewed is None else Lease(store, path, owner, term, renewed)


def lease_holder(store: CompareAndSwapStore, path: str) -> str | None:
    """Return the owner of a lease, "" if its file names none; None if the lease is free or cannot be read."""
    try:
        body, _ = store.versioned(path)
        held = _is_held(body, path)
    except StorageError:
        return None
    return str(_parse(body).get("owner", "")) if held else None


def _version_if_owned(store: CompareAndSwapStore, path: str, owner: str) -> Mapping[str, str] | None:
    """Return the current version if the owner wrote it: the response to the swap was lost. Otherwise return None."""
    try:
        body, version = store.versioned(path)
    except Missing:
        return None
    return version if _parse(body).get("owner") == owner else None


def _wait(store: CompareAndSwapStore, path: str) -> None:
    """Wait until the store permits the next write of the file."""
    _writes.wait((store.uri, path), store.write_pace)


def _wait_alone(store: CompareAndSwapStore, path: str) -> bool | None:
    """Wait like `_wait`; return whether this took time, or None at once if another thread waits already."""
    return _writes.wait_alone((store.uri, path), store.write_pace)


def _swap(
    store: CompareAndSwapStore, path: str, body: bytes, version: Mapping[str, str] | None
) -> Mapping[str, str] | None:
    """Call `swap` of the store, and record the time."""
    swapped = None
    try:
        swapped = store.swap(path, body, version)
    finally:
        _writes.written((store.uri, path), store.write_pace, swapped)
    return swapped


def _swap_unless_throttled(
    store: CompareAndSwapStore, path: str, body: bytes, version: Mapping[str, str] | None
) -> Mapping[str, str] | None:
    """Call `swap` of the store; return None also if the store refused the call because of too many requests."""
    try:
        return _swap(store, path, body, version)
    except Throttled as error:
        _log.info("a lock is tried again: %s", error)
        return None


def _delete(store: CompareAndSwapStore, path: str) -> None:
    _wait(store, path)
    try:
        store.delete(path)
    finally:
        _writes.written((store.uri, path), store.write_pace, None)


def _has_version(store: CompareAndSwapStore, path: str, version: Mapping[str, str]) -> bool:
    try:
        return store.versioned(path)[1] == version
    except Missing:
        return False


def _is_deleted(store: CompareAndSwapStore, path: str) -> bool:
    """Return whether the file of a lock was deleted, for example a heartbeat by the rollback of its instant."""
    try:
        store.versioned(path)
    except Missing:
        return True
    except StorageError:
        return False
    return False


def _body(owner: str, term: LeaseTerm, *, expired: bool = False) -> bytes:
    until = round((_now() + term.validity) * 1000)
    # the version depends on the content: two renewals in one millisecond must differ
    return json.dumps({"expired": expired, "validUntil": until, "owner": owner, "renewal": uuid.uuid4().hex}).encode()


def _is_held(body: bytes, what: str) -> bool:
    if not body:
        return False
    content = _parse(body)
    until = content.get("validUntil")
    if not isinstance(until, int):
        raise StorageError(f"lock: {what} is not a valid lock file; remove it if no writer is running", code="lock")
    return not content.get("expired") and _now() <= until / 1000 + _SKEW_SECONDS


def _is_recent(body: bytes, pace: WritePace) -> bool:
    """Return whether a free lease may have been written less than one interval of the store ago."""
    until = _parse(body).get("validUntil")
    return not isinstance(until, int) or _now() <= until / 1000 + _SKEW_SECONDS + pace.interval


def _parse(body: bytes) -> dict[str, object]:
    try:
        content = json.loads(body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _now() -> float:
    return time.time()
