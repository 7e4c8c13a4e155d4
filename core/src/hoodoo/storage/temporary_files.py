"""Atomic creation of files: they are written without a name or under a temporary one, then linked or renamed.

Linux supports files without a name, which the kernel removes when the process that writes them ends. On other systems,
and to replace a file, a temporary name is needed. The writer holds a lock on the temporary file; a temporary file
without a lock belongs to a dead process.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["create_whole", "is_temporary", "remove_temporaries", "replace_whole", "temporary_path"]

_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{12}\.tmp")
_MODE = 0o666
_UNNAMED = getattr(os, "O_TMPFILE", None)
_UNNAMED_UNSUPPORTED = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL, errno.EPERM, errno.EXDEV)
"""Errors of file systems without unnamed files, and of systems without `/proc`."""


def temporary_path(path: str) -> str:
    """Return the path of a new temporary file in the folder of a path; `is_temporary` recognizes its name."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.{uuid.uuid4().hex[:12]}.tmp"


def is_temporary(name: str) -> bool:
    """Return whether a name is that of a temporary file."""
    return _TEMPORARY.fullmatch(name) is not None


def create_whole(path: str, body: bytes) -> None:
    """Create a file with its content in one step; the name is not durable until the folder is flushed.

    Raises:
        FileExistsError: The path exists.
        OSError: The file system failed.
    """
    if not _created_unnamed(path, body):
        with _temporary(path, body) as temporary:
            # link fails if the name exists, rename would replace the file
            os.link(temporary, path)


def replace_whole(path: str, body: bytes) -> None:
    """Create or replace a file in one step; the name is not durable until the folder is flushed.

    Raises:
        OSError: The file system failed.
    """
    with _temporary(path, body) as temporary:
        os.replace(temporary, path)


def remove_temporaries(folder: str) -> None:
    """Remove the temporary files of dead processes from a folder, if it exists.

    Raises:
        OSError: The file system failed.
    """
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return
    for name in filter(is_temporary, names):
        with suppress(FileNotFoundError):
            _remove_unlocked(os.path.join(folder, name))


def _created_unnamed(path: str, body: bytes) -> bool:
    if _UNNAMED is None:
        return False
    try:
        descriptor = os.open(os.path.dirname(path), os.O_WRONLY | _UNNAMED, _MODE)
    except OSError as error:
        if error.errno in _UNNAMED_UNSUPPORTED and os.path.isdir(os.path.dirname(path)):
            return False
        raise
    try:
        _write(descriptor, body)
        os.link(f"/proc/self/fd/{descriptor}", path, follow_symlinks=True)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno in _UNNAMED_UNSUPPORTED:
            return False
        raise
    finally:
        os.close(descriptor)
    return True


@contextmanager
def _temporary(path: str, body: bytes) -> Iterator[str]:
    """Yield the path of a locked temporary file with the body; at the end, remove the file unless it was renamed."""
    temporary, descriptor = _open_locked(path)
    try:
        _write(descriptor, body)
        yield temporary
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        os.close(descriptor)


def _open_locked(path: str) -> tuple[str, int]:
    """Open a new temporary file and lock it; return its path and descriptor."""
    while True:
        temporary = temporary_path(path)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return temporary, descriptor
        # another process removed it before it was locked, as the file of a dead process
        os.close(descriptor)


def _write(descriptor: int, body: bytes) -> None:
    left = memoryview(body)
    while left:
        left = left[os.write(descriptor, left) :]
    if body:
        os.fsync(descriptor)


def _remove_unlocked(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    else:
        os.unlink(path)
    finally:
        os.close(descriptor)
