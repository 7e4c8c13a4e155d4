"""Locks on local files by `flock`: the kernel frees them when the process that holds them ends, for whatever reason."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

from attrs import define

from hoodoo.storage.failures import failures_named

__all__ = ["FileLock", "try_flock"]

_CONTENT = b"held by flock\n"

_held: set[int] = set()


def _close_in_child() -> None:
    """Close the locks of the parent: a lock is free only when every process that has it open has closed it."""
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)


@define
class FileLock:
    """A held lock on one file."""

    path: str
    descriptor: int | None

    def renew(self) -> None:
        """Set the file's modification time to now. Raises `StorageError`; after a release it does nothing."""
        if self.descriptor is not None:
            with failures_named("renew", self.path):
                os.utime(self.descriptor)

    def release(self, *, delete: bool = False) -> None:
        """Free the lock; with `delete`, unlink the file first, while no other holder can have it.

        Raises:
            StorageError: The file cannot be unlinked; the lock is free in any case.
        """
        if self.descriptor is None:
            return
        descriptor, self.descriptor = self.descriptor, None
        try:
            if delete:
                with failures_named("delete", self.path), suppress(FileNotFoundError):
                    os.unlink(self.path)
        finally:
            _held.discard(descriptor)
            # closing would leave the lock to a child that was forked meanwhile
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)


def try_flock(path: str, *, shared: bool) -> FileLock | None:
    """Take the lock on a file, which is created where missing, or return None where it is held. Raises `OSError`."""
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
        if _still_linked(path, descriptor):
            if not shared:
                _fill(descriptor)
            _held.add(descriptor)
            return FileLock(path, descriptor)
        # the holder before us unlinked the file between our open and our flock: this lock guards nothing
        os.close(descriptor)


def _fill(descriptor: int) -> None:
    """Give the file a content, by which it is told from files of other writers that only have a name."""
    try:
        if os.fstat(descriptor).st_size == 0:
            os.write(descriptor, _CONTENT)
    except OSError:
        os.close(descriptor)
        raise


def _still_linked(path: str, descriptor: int) -> bool:
    try:
        linked = os.stat(path)
    except FileNotFoundError:
        return False
    opened = os.fstat(descriptor)
    return (linked.st_dev, linked.st_ino) == (opened.st_dev, opened.st_ino)
