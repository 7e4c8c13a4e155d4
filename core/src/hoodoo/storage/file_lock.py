"""Locks on local files with `flock`, which the kernel frees when the holding process ends."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

from attrs import define

from hoodoo.storage.os_errors import translate_os_errors

__all__ = ["FileLock", "close_locked", "is_linked", "keep_locked", "try_flock"]

_CONTENT = b"held by flock\n"

_locked: set[int] = set()


def keep_locked(descriptor: int) -> None:
    """Register the descriptor of a locked file, so that forked children close it; `close_locked` unregisters it.

    Without an explicit unlock, a lock is free only when every process has closed its copies of the descriptor.
    """
    _locked.add(descriptor)


def close_locked(descriptor: int) -> None:
    """Free the `flock` of a file and close the file. Raises `OSError`."""
    _locked.discard(descriptor)
    try:
        # closing is not enough: a child that is being forked would keep the lock
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


def is_linked(path: str | os.PathLike[str], descriptor: int) -> bool:
    """Return whether a path refers to the open file of a descriptor; false if the path is missing. Raises `OSError`."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _close_in_child() -> None:
    for descriptor in _locked:
        os.close(descriptor)
    _locked.clear()


os.register_at_fork(after_in_child=_close_in_child)


@define
class FileLock:
    """Held `flock` on one file; `descriptor` is None after the release."""

    path: str
    descriptor: int | None

    def renew(self) -> None:
        """Set the file's modification time to now; do nothing after a release.

        Raises:
            StorageError: The file system failed. A deleted file is not an error.
        """
        if self.descriptor is not None:
            with translate_os_errors("renew", self.path):
                os.utime(self.descriptor)

    def release(self, *, delete: bool = False) -> None:
        """Free the lock; if `delete` is true, unlink the file before that. A second call does nothing.

        Raises:
            StorageError: The file cannot be unlinked; the lock is free nevertheless.
        """
        if self.descriptor is None:
            return
        descriptor, self.descriptor = self.descriptor, None
        try:
            if delete:
                with translate_os_errors("delete", self.path), suppress(FileNotFoundError):
                    os.unlink(self.path)
        finally:
            close_locked(descriptor)


def try_flock(path: str, *, shared: bool) -> FileLock | None:
    """Lock a file, which is created if missing. Return the lock, or None if another holder has a conflicting one.

    Raises:
        OSError: The file system failed.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        if is_linked(path, descriptor):
            if not shared:
                _mark_held(descriptor)
            keep_locked(descriptor)
            return FileLock(path, descriptor)
        # the previous holder unlinked the file between open and flock, so this lock protects nothing
        os.close(descriptor)


def _mark_held(descriptor: int) -> None:
    """Set the modification time of a lock file to now; if the file is empty, write content.

    Hudi's writers leave the file empty. If an operation fails, close the descriptor and raise `OSError`.
    """
    try:
        if os.fstat(descriptor).st_size == 0:
            os.write(descriptor, _CONTENT)
        else:
            os.utime(descriptor)
    except OSError:
        os.close(descriptor)
        raise
