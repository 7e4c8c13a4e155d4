"""Locks by leases of HDFS: the NameNode lets one client at a time append to a file.

HDFS has no compare-and-swap. The holder of a lock has a file open for appending, and its client renews the lease of the
file while the process lives. After 60 seconds, the NameNode passes the lease of a dead or suspended process to another
process that requests it. Only the clock of the NameNode is used for leases. The NameNode rejects writes to the file by
a process that lost the lease.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from attrs import define, field
from hdfs_native import Client, FileWriter, WriteOptions

from hoodoo.errors import LockLost, StorageError
from hoodoo.storage.base import AlreadyExists, Lock, Missing

__all__ = ["HdfsLock", "try_hdfs_lock"]

_CONTENT = b"held by a lease of HDFS\n"
_RECOVERED = "RecoveryInProgressException"
_LOST = "LeaseExpiredException"

Errors = Callable[[], AbstractContextManager[None]]

_log = logging.getLogger(__name__)


@define(eq=False)
class HdfsLock:
    """Held lock: an open file whose lease belongs to this client, and a file that shows the lock to others."""

    _client: Client
    _path: str
    _lease: str
    _writer: FileWriter
    _errors: Errors
    _released: bool = field(default=False, init=False)

    def renew(self) -> None:
        """Check the lease, and set the modification time of the path to now; do nothing after a release.

        Raises:
            LockLost: The NameNode passed the lease to another process, or a file of the lock was deleted.
            StorageError: HDFS failed.
        """
        if self._released:
            return
        self._check_lease()
        try:
            _touch(self._client, self._path, self._errors)
        except Missing as error:
            raise LockLost(f"renew '{self._path}': the file that shows the lock to others was deleted") from error

    def _check_lease(self) -> None:
        """Raise `LockLost` if the lease belongs to another process."""
        try:
            with self._errors():
                self._writer.hsync()
        except StorageError as error:
            if isinstance(error, Missing) or _LOST in str(error):
                raise LockLost(
                    f"renew '{self._path}': another writer has the lease, because this process was suspended or "
                    "disconnected from HDFS for too long, or the file of the lease was deleted"
                ) from error
            raise

    def release(self, *, delete: bool = False) -> None:
        """Free the lock, and delete its files if `delete` is true and the lease is held. A second call does nothing.

        A failure is logged as a warning; the lease then expires after the end of the process at the latest.
        """
        if self._released:
            return
        self._released = True
        try:
            if delete:
                self._delete()
            else:
                self._close()
        except LockLost:
            # the files belong to the lock of another process
            return
        except StorageError as error:
            _log.warning("a lock could not be released and will expire: %s", error)

    def _delete(self) -> None:
        try:
            self._check_lease()
        except LockLost:
            raise
        except StorageError:
            # without deletion, the end of the lease at least frees the lock
            self._close()
            raise
        with self._errors():
            self._client.delete(self._path, False)
            self._client.delete(self._lease, False)

    def _close(self) -> None:
        with self._errors():
            self._writer.close()


class _SharedProbe:
    """Result of a shared request: the lock was free, and there is nothing to release."""

    def renew(self) -> None:
        """Do nothing."""

    def release(self, *, delete: bool = False) -> None:
        """Do nothing."""


def try_hdfs_lock(client: Client, path: str, lease: str, errors: Errors, *, shared: bool = False) -> Lock | None:
    """Return the lock of a path, or None if another process or thread has its lease.

    The result is also None while the NameNode recovers the lease.

    Args:
        client: The client of the cluster.
        path: The absolute path of the file that shows others that the lock is held.
        lease: The absolute path of the file whose lease is the lock.
        errors: Function that returns a context manager, which translates errors.
        shared: Whether to check only that the lock is free; others can take it afterwards.

    Raises:
        StorageError: HDFS failed.
    """
    try:
        writer = _leased(client, lease, errors)
    except Missing:
        if shared:
            return _SharedProbe()
        writer = _created(client, lease, errors)
    if writer is None:
        return None
    if shared:
        with errors():
            writer.close()
        return _SharedProbe()
    lock = HdfsLock(client, path, lease, writer, errors)
    try:
        _show(client, path, errors)
    except BaseException:
        lock.release()
        raise
    return lock


def _leased(client: Client, lease: str, errors: Errors) -> FileWriter | None:
    """Open an existing file for appending; return None if its lease is held or in recovery. Raises `Missing`."""
    try:
        with errors():
            return client.append(lease)
    except AlreadyExists:
        return None
    except StorageError as error:
        if _RECOVERED in str(error):
            return None
        raise


def _created(client: Client, lease: str, errors: Errors) -> FileWriter | None:
    try:
        with errors():
            return client.create(lease, WriteOptions(create_parent=True))
    except AlreadyExists:
        return None


def _show(client: Client, path: str, errors: Errors) -> None:
    """Create the file of a held lock; if it exists and is not empty, set its modification time to now."""
    try:
        with errors():
            length = client.get_file_info(path).length
    except Missing:
        length = 0
    if length:
        _touch(client, path, errors)
        return
    with errors():
        file = client.create(path, WriteOptions(overwrite=True, create_parent=True))
        file.write(_CONTENT)
        file.close()


def _touch(client: Client, path: str, errors: Errors) -> None:
    """Set the modification time of a file to now."""
    now = round(time.time() * 1000)
    with errors():
        client.set_times(path, now, now)
