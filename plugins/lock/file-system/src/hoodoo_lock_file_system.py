"""A lock file in a folder of a local or mounted file system that all writers can access."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import threading
import time
import traceback
import uuid
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import attrs
from attrs import define, field, frozen

from hoodoo.errors import LockLost, OptionError, StorageError
from hoodoo.plugin import LockTarget, hookimpl, option
from hoodoo.storage import HOODIE_FOLDER, LocalStorage, storage_for, translate_os_errors
from hoodoo.storage.file_lock import close_locked, is_linked, keep_locked

__version__ = "0.1.0"

_NAME = "lock"
_RENEWALS = 3
"""The number of renewals of a lock within its expiry time."""


def _not_negative(instance: Any, attribute: attrs.Attribute[Any], value: int) -> None:
    if value < 0:
        raise ValueError(f"{attribute.name} is {value} and must not be negative (minutes)")


@frozen
class FileSystemLock:
    """Lock provider FileSystemBasedLockProvider of Hudi.

    The file is `lock` in the table's `.hoodie`, or in `path`. The writer that creates it has the lock, and deletes it
    to release the lock. The file of a hoodoo writer that died is removed by the next hoodoo writer on the same machine.
    The file of a Hudi writer that died, or of a writer on another machine, remains until it expires or is deleted by
    hand: messages name it.

    A Hudi writer that does not acquire the lock in time deletes the file of the holder, and one that releases the lock
    deletes the file twice. A hoodoo writer checks its file before it completes a commit, and acquires the lock again if
    the file is missing. Use another provider if possible.
    """

    path: str = option(
        default="",
        key="hoodie.write.lock.filesystem.path",
        help="Folder of the lock file, as a path or a `file:` URI; by default the table's `.hoodie`.",
    )
    expire: int = option(
        default=0,
        key="hoodie.write.lock.filesystem.expire",
        help="Minutes since its last modification after which a lock file counts as deleted; 0 for never.",
        validator=_not_negative,
    )

    def check(self, target: LockTarget) -> None:
        """Raise `OptionError` if the folder of the lock file is not on a local or mounted file system."""
        self._file(target)

    def try_acquire(self, target: LockTarget) -> _Held | None:
        """Acquire the lock by creating the file; return None if the file of a valid holder exists."""
        file = self._file(target)
        with _named(file):
            if (file.is_symlink() or file.exists()) and not self._removed(file):
                return None
            return _created(file, target, self.expire * 60)

    def describe(self, target: LockTarget) -> str:
        """Return a description of the file with its owner, age and expiry, or a note that the file does not exist."""
        file = self._file(target)
        try:
            age = time.time() - file.stat().st_mtime
        except OSError:
            return f"the file {file}, which does not exist now"
        owner = _stated(file).get("owner") or "a writer without a name, such as Hudi's"
        after = f"it expires {self.expire} min after the last touch" if self.expire else "it never expires"
        return f"the file {file} of {owner}, touched {age:.0f} s ago; {after}; delete it if its writer is dead"

    def _file(self, target: LockTarget) -> Path:
        folder = storage_for(self.path) if self.path else target.storage
        if not isinstance(folder, LocalStorage):
            raise OptionError(
                f"lock provider 'file-system' needs a local or mounted file system, and {folder.uri} is not on one; "
                "use 'storage-based' in an object store, or set hoodie.write.lock.filesystem.path to a folder that all "
                "writers mount"
            )
        return Path(folder.root, *(() if self.path else (HOODIE_FOLDER,)), _NAME)

    def _removed(self, file: Path) -> bool:
        """Remove the file if its holder is dead or its lock expired; return False if the lock is valid, else True."""
        try:
            descriptor = os.open(file, os.O_RDWR)
        except FileNotFoundError:
            return True
        try:
            stale = self._is_expired(descriptor) or _is_of_a_dead_writer(file, descriptor)
            if stale and is_linked(file, descriptor):
                _unlink(file)
            return stale
        finally:
            os.close(descriptor)

    def _is_expired(self, descriptor: int) -> bool:
        return bool(self.expire) and time.time() - os.fstat(descriptor).st_mtime > self.expire * 60


@define(eq=False)
class _Held:
    """Open lock file with a `flock`, which shows other hoodoo writers that the process of the holder is alive."""

    file: Path
    size: int
    descriptor: int | None
    _ended: threading.Event = field(factory=threading.Event, init=False)
    _using: threading.Lock = field(factory=threading.Lock, init=False)

    def keep(self, interval: float) -> None:
        """Start a thread that touches the file every `interval` seconds."""
        threading.Thread(target=self._run, args=(interval,), name=f"lock-{self.file}", daemon=True).start()

    def renew(self) -> None:
        """Touch the file; do nothing after a release. Raises `LockLost` if it was deleted, replaced or truncated."""
        with self._using, _named(self.file):
            if self.descriptor is None:
                return
            if not self._is_ours(self.descriptor):
                raise LockLost(
                    f"renew '{self.file}': another writer deleted or replaced the lock file, or emptied it, while this "
                    "writer held the lock"
                )
            os.utime(self.descriptor)

    def release(self) -> None:
        """Delete the file if it was not replaced or truncated, and free its `flock`. A second call has no effect."""
        self._ended.set()
        with self._using, _named(self.file):
            if self.descriptor is None:
                return
            descriptor, self.descriptor = self.descriptor, None
            try:
                # file systems do not have conditional deletes: a change of another writer in between is lost
                if self._is_ours(descriptor):
                    _unlink(self.file)
            finally:
                close_locked(descriptor)

    def _is_ours(self, descriptor: int) -> bool:
        """Return whether the path refers to the file of this holder, and no Hudi writer has truncated it."""
        return is_linked(self.file, descriptor) and os.fstat(descriptor).st_size == self.size

    def _run(self, interval: float) -> None:
        while not self._ended.wait(interval):
            # a call of the holder raises the error
            with suppress(StorageError):
                self.renew()


def _created(file: Path, target: LockTarget, expires: float) -> _Held | None:
    """Create the file with all its content and a `flock`; return None if another writer was faster.

    If it expires after `expires` seconds (0 for never), a thread touches it while it is held.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{_NAME}.{uuid.uuid4().hex[:12]}.tmp")
    body = _content(target)
    descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(descriptor, body)
        # link fails if the name exists
        file.hardlink_to(temporary)
    except FileExistsError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    finally:
        temporary.unlink()
    keep_locked(descriptor)
    held = _Held(file, len(body), descriptor)
    if expires:
        held.keep(expires / _RENEWALS)
    return held


def _content(target: LockTarget) -> bytes:
    """Return the content of the file: the fields of Hudi's lock file, and the owner."""
    now = datetime.now().astimezone()
    frames = traceback.extract_stack(limit=12)[:-2]
    stated = {
        "lockCreateTime": now.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3],
        "lockThreadName": threading.current_thread().name,
        "lockStacksInfo": [f"{Path(f.filename).name}.{f.name} ({f.lineno})" for f in reversed(frames)],
        "owner": target.owner,
        "host": platform.node(),
    }
    return json.dumps(stated, indent=2).encode()


def _stated(file: Path) -> dict[str, Any]:
    try:
        stated = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return stated if isinstance(stated, dict) else {}


def _is_of_a_dead_writer(file: Path, descriptor: int) -> bool:
    """Return whether a hoodoo process of this machine created the file and is dead: the kernel ended its `flock`."""
    if _stated(file).get("host") != platform.node():
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unlink(file: Path) -> None:
    """Delete the file, and the checksum file that Hadoop adds to its files."""
    for path in (file, file.with_name(f".{file.name}.crc")):
        path.unlink(missing_ok=True)


def _named(file: Path) -> AbstractContextManager[None]:
    return translate_os_errors("lock", str(file))


@hookimpl
def hoodoo_lock() -> type[FileSystemLock]:
    """Return the class of the lock provider."""
    return FileSystemLock
