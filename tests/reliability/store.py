"""A table in memory: a test can observe, fail, stop or interleave the calls to its store.

Writers open the table by its URI, and so do their tasks, as on executors.
"""

from __future__ import annotations

import hashlib
import io
import itertools
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import pyarrow as pa
from attrs import define, field

from hoodoo.errors import StorageError
from hoodoo.storage import AlreadyExists, FileInfo, Missing, Storage, check_relative, parent_of, resolve
from hoodoo.writing.data_files import returned_files

from .actors import Actor, acting, called

__all__ = [
    "Files",
    "MemoryStorage",
    "RemoteMemoryStorage",
    "known_files",
    "opened_by_uri",
    "storage_of",
]

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
SCHEME = "memory"
_MOST_REJECTED = 2

_numbers = itertools.count()


@define(eq=False, slots=False)
class Files:
    """The files of one table by path, their times, and the holders of locks.

    Attributes:
        clock: The clock of the store, whose time does not change by default.
        name: The name of the table, which is part of its URI.
        unsynced: The files whose content or name was not made durable, which a power failure damages.
        is_remote: Whether the store is one of those in which each call is a request.
    """

    bodies: MutableMapping[str, bytes] = field(factory=dict)
    times: dict[str, datetime] = field(factory=dict)
    locks: dict[str, list[HeldLock]] = field(factory=dict)
    unsynced: set[str] = field(factory=set)
    clock: Callable[[], datetime] = lambda: EPOCH
    name: str = field(factory=lambda: f"table-{next(_numbers)}")
    is_remote: bool = False

    def __attrs_post_init__(self) -> None:
        _known[self.uri] = self

    @property
    def uri(self) -> str:
        return f"{SCHEME}://{self.name}/t"

    @property
    def storage(self) -> Storage:
        """Return a storage whose calls belong to the actor of the thread."""
        return RemoteMemoryStorage(self) if self.is_remote else MemoryStorage(self)

    def copy(self) -> Files:
        """Return the same files under another name, all durable; locks stay with their holders."""
        return Files(dict(self.bodies), dict(self.times), clock=self.clock, is_remote=self.is_remote)

    def put(self, path: str, body: bytes) -> None:
        self.bodies[path] = body
        self.times[path] = self.clock()

    def remove(self, path: str) -> None:
        self.bodies.pop(path, None)
        self.times.pop(path, None)
        self.unsynced.discard(path)

    def lose_power(self) -> None:
        """Cut in half every file that was not made durable."""
        for path in sorted(self.unsynced):
            if path in self.bodies:
                self.bodies[path] = self.bodies[path][: len(self.bodies[path]) // 2]
        self.unsynced.clear()

    def expire_locks(self) -> bool:
        """Free the locks whose release failed, as a store does after some time; return whether there were any."""
        abandoned = [lock for holders in self.locks.values() for lock in holders if lock.is_abandoned]
        for lock in abandoned:
            self.locks[lock.path].remove(lock)
        return bool(abandoned)

    def lose_lock(self, path: str, actor: Actor) -> None:
        """Free the lock of an actor that got no answer; in a real store such a lock ends after some time."""
        self.locks[path][:] = [lock for lock in self.locks[path] if lock.actor is not actor]

    def pass_time(self, time: timedelta) -> None:
        """Do nothing: the clock belongs to the test."""

    def free_locks(self, actor: Actor | None) -> None:
        """Free the locks of an actor, as the kernel does for a dead process."""
        for holders in self.locks.values():
            holders[:] = [lock for lock in holders if lock.actor is not actor]


@define(eq=False)
class HeldLock:
    """A lock on a path. If its release failed, it ends after some rejected requests for the lock."""

    files: Files
    path: str
    shared: bool
    actor: Actor | None
    is_abandoned: bool = False
    rejected: int = 0

    def renew(self) -> None:
        called("renew", self.path, self._renew)

    def release(self, *, delete: bool = False) -> None:
        if self not in self.files.locks.get(self.path, ()):
            return
        try:
            called("release", self.path, lambda: self._release(delete))
        except StorageError:
            self.is_abandoned = True
            raise

    def _renew(self) -> None:
        if self in self.files.locks.get(self.path, ()) and not self.shared:
            self.files.times[self.path] = self.files.clock()

    def _release(self, delete: bool) -> None:
        holders = self.files.locks.get(self.path, [])
        if self in holders:
            holders.remove(self)
            if delete:
                self.files.remove(self.path)


@define(eq=False)
class MemoryStorage:
    """A storage over `Files`; see `hoodoo.storage.Storage`."""

    files: Files

    options: ClassVar[Mapping[str, Any]] = {}

    @property
    def uri(self) -> str:
        return self.files.uri

    def read(self, path: str) -> bytes:
        return called("read", path, lambda: self._body(path))

    def create(self, path: str, body: bytes) -> None:
        def work() -> None:
            if check_relative(path) in self.files.bodies:
                raise AlreadyExists(f"create '{path}': file exists")
            self.files.put(path, body)

        called("create", path, work)

    def replace(self, path: str, body: bytes) -> None:
        called("replace", path, lambda: self.files.put(check_relative(path), body))

    def delete(self, path: str) -> None:
        called("delete", path, lambda: self.files.remove(check_relative(path)))

    def delete_tree(self, path: str) -> None:
        def work() -> None:
            for file in [file for file in self.files.bodies if file == path or file.startswith(f"{path}/")]:
                self.files.remove(file)

        called("delete_tree", path, work)

    def exists(self, path: str) -> bool:
        def work() -> bool:
            bodies = self.files.bodies
            return check_relative(path) in bodies or any(file.startswith(f"{path}/") for file in bodies)

        return called("exists", path, work)

    def size(self, path: str) -> int:
        return called("size", path, lambda: len(self._body(path)))

    def modified(self, path: str) -> datetime:
        def work() -> datetime:
            self._body(path)
            return self.files.times[path]

        return called("modified", path, work)

    def list(self, folder: str) -> list[FileInfo]:
        return called("list", folder, lambda: [self._info(p) for p in self.files.bodies if parent_of(p) == folder])

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        def work() -> list[FileInfo]:
            start = f"{folder}/"
            return [
                self._info(path)
                for path in self.files.bodies
                if (path.startswith(start) if folder else not path.startswith(".hoodie/"))
            ]

        yield from called("walk", folder, work)

    def local_path(self, path: str) -> str:
        raise StorageError(f"'{path}' is in memory")

    def open_input(self, path: str) -> pa.NativeFile:
        return called("open", path, lambda: pa.BufferReader(self._body(path)))

    def open_output(self, path: str) -> pa.NativeFile:
        def work() -> pa.NativeFile:
            if check_relative(path) in self.files.bodies:
                raise AlreadyExists(f"create '{path}': file exists")
            self.files.put(path, b"")
            self.files.unsynced.add(path)
            return pa.PythonFile(_Sink(self.files, path), mode="w")

        return called("open_output", path, work)

    def sync(self, path: str) -> None:
        def work() -> None:
            self._body(path)
            self.files.unsynced.discard(path)

        called("sync", path, work)

    def sweep(self, folder: str) -> None:
        check_relative(folder)

    def try_lock(self, path: str, *, shared: bool = False) -> HeldLock | None:
        actor = acting()

        def work() -> HeldLock | None:
            holders = self.files.locks.setdefault(path, [])
            for holder in [holder for holder in holders if holder.is_abandoned]:
                # a lock whose release failed ends after some time; here after a number of rejected requests
                holder.rejected += 1
                if holder.rejected > _MOST_REJECTED:
                    holders.remove(holder)
            if any(not (shared and holder.shared) for holder in holders):
                return None
            lock = HeldLock(self.files, path, shared, actor)
            holders.append(lock)
            if path not in self.files.bodies:
                self.files.put(path, b"" if shared else b"locked")
            elif not shared and not self.files.bodies[path]:
                self.files.put(path, b"locked")
            elif not shared:
                self.files.times[path] = self.files.clock()
            return lock

        return called("try_lock", path, work)

    def _body(self, path: str) -> bytes:
        try:
            return self.files.bodies[check_relative(path)]
        except KeyError:
            raise Missing(f"read '{path}': no such file") from None

    def _info(self, path: str) -> FileInfo:
        return FileInfo.at(path, len(self.files.bodies[path]), self.files.times[path])


class RemoteMemoryStorage(MemoryStorage):
    """The same storage as an object store: a new file appears as a whole when it is closed."""

    def open_output(self, path: str) -> pa.NativeFile:
        check_relative(path)
        return pa.PythonFile(_RemoteSink(self, path), mode="w")

    def list_if_small(self, folder: str) -> Mapping[str, tuple[FileInfo, str]]:
        def work() -> Mapping[str, tuple[FileInfo, str]]:
            start = f"{folder}/" if folder else ""
            bodies = self.files.bodies
            return {path: (self._info(path), _version(bodies[path])) for path in bodies if path.startswith(start)}

        return called("list_if_small", folder, work)

    def read_with_version(self, path: str) -> tuple[bytes, str]:
        body = self.read(path)
        return body, _version(body)

    def delete_files(self, paths: Sequence[str]) -> None:
        def work() -> None:
            for path in paths:
                self.files.remove(check_relative(path))

        called("delete_files", " ".join(paths), work)


def storage_of(files: Files) -> Storage:
    """Return the storage of a table."""
    return files.storage


def _version(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


class _RemoteSink(io.BytesIO):
    """A stream that creates its file when it is closed. An equal file is accepted, as after a lost answer."""

    def __init__(self, storage: MemoryStorage, path: str) -> None:
        super().__init__()
        self._storage, self._path = storage, path

    def close(self) -> None:
        if self.closed:
            return
        body = self.getvalue()
        try:
            self._storage.create(self._path, body)
        except AlreadyExists:
            if self._storage.read(self._path) != body:
                raise
        finally:
            super().close()


class _Sink(io.BytesIO):
    """A stream whose `close` puts half of the content into the file, and then, by an observed call, all of it."""

    def __init__(self, files: Files, path: str) -> None:
        super().__init__()
        self._files, self._path = files, path

    def close(self) -> None:
        if self.closed:
            return
        body = self.getvalue()

        def put(part: bytes) -> None:
            # a file that was deleted since then no longer has a name
            if self._path in self._files.bodies:
                self._files.put(self._path, part)

        put(body[: len(body) // 2])
        try:
            called("close", self._path, lambda: put(body))
        finally:
            super().close()


class _CallingThread:
    """Pool that runs its work in the calling thread, which determines the actor of calls."""

    def __init__(self, threads: int) -> None:
        """Ignore the number of threads."""

    def __enter__(self) -> _CallingThread:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    map = staticmethod(map)


_known: WeakValueDictionary[str, Files] = WeakValueDictionary()


@contextmanager
def opened_by_uri() -> Iterator[None]:
    """Let `storage_for` open every `Files` of this process by its URI.

    Files that tasks returned are stored in the thread of their writer.
    """
    objects, hdfs = resolve._object_storage, resolve._hdfs_storage

    def opened(text: str, scheme: str, options: Mapping[str, Any]) -> Storage:
        files = known_files(text)
        return objects(text, scheme, options) if files is None else files.storage

    def opened_hdfs(text: str) -> Storage:
        files = known_files(text)
        return hdfs(text) if files is None else files.storage

    resolve._object_storage, resolve._hdfs_storage = opened, opened_hdfs
    pool, returned_files.ThreadPoolExecutor = returned_files.ThreadPoolExecutor, _CallingThread
    try:
        yield
    finally:
        resolve._object_storage, resolve._hdfs_storage = objects, hdfs
        returned_files.ThreadPoolExecutor = pool


def known_files(uri: str) -> Files | None:
    """Return the files of the table at a location; None for other locations."""
    return _known.get(uri)
