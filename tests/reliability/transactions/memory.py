"""A table in memory, and a storage for it that fails on demand."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import ClassVar

import pyarrow as pa
from attrs import define, field

from hoodoo.errors import StorageError
from hoodoo.storage import AlreadyExists, FileInfo, Lock, Missing, check_relative, parent_of

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


@define
class MemoryLock:
    """A lock on a path."""

    storage: MemoryStorage
    path: str
    shared: bool
    held: bool = True

    def renew(self) -> None:
        if self.held and not self.shared:
            self.storage.times[self.path] = self.storage.now

    def release(self, *, delete: bool = False) -> None:
        if not self.held:
            return
        self.held = False
        self.storage.locks[self.path].remove(self)
        if delete:
            self.storage.files.pop(self.path, None)


@define(eq=False)
class MemoryStorage:
    """The files of a table by path. The time is `now` until a test moves it."""

    files: dict[str, bytes] = field(factory=dict)
    times: dict[str, datetime] = field(factory=dict)
    locks: dict[str, list[MemoryLock]] = field(factory=dict)
    now: datetime = EPOCH

    uri = "memory:/table"
    options: ClassVar[dict[str, str]] = {}

    def copy(self) -> MemoryStorage:
        """Return a copy of the files; locks stay with their holders."""
        return MemoryStorage(dict(self.files), dict(self.times), now=self.now)

    def read(self, path: str) -> bytes:
        try:
            return self.files[check_relative(path)]
        except KeyError:
            raise Missing(f"read '{path}': no such file") from None

    def create(self, path: str, body: bytes) -> None:
        if check_relative(path) in self.files:
            raise AlreadyExists(f"create '{path}': file exists")
        self.replace(path, body)

    def replace(self, path: str, body: bytes) -> None:
        self.files[check_relative(path)] = body
        self.times[path] = self.now

    def delete(self, path: str) -> None:
        self.files.pop(check_relative(path), None)

    def delete_tree(self, path: str) -> None:
        for file in [file for file in self.files if file == path or file.startswith(f"{path}/")]:
            del self.files[file]

    def exists(self, path: str) -> bool:
        return check_relative(path) in self.files or any(file.startswith(f"{path}/") for file in self.files)

    def size(self, path: str) -> int:
        return len(self.read(path))

    def modified(self, path: str) -> datetime:
        self.read(path)
        return self.times[path]

    def list(self, folder: str) -> list[FileInfo]:
        return [self._info(path) for path in self.files if parent_of(path) == folder]

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        for path in list(self.files):
            below = path.startswith(f"{folder}/") if folder else not path.startswith(".hoodie/")
            if below:
                yield self._info(path)

    def _info(self, path: str) -> FileInfo:
        return FileInfo.at(path, len(self.files[path]), self.times[path])

    def local_path(self, path: str) -> str:
        raise StorageError(f"'{path}' is in memory")

    def open_input(self, path: str) -> pa.NativeFile:
        return pa.BufferReader(self.read(path))

    def open_output(self, path: str) -> pa.NativeFile:
        self.create(path, b"")
        return pa.PythonFile(_Sink(self, path), mode="w")

    def sync(self, path: str) -> None:
        self.read(path)

    def sweep(self, folder: str) -> None:
        pass

    def try_lock(self, path: str, *, shared: bool = False) -> Lock | None:
        holders = self.locks.setdefault(path, [])
        if any(not (shared and holder.shared) for holder in holders):
            return None
        lock = MemoryLock(self, path, shared)
        holders.append(lock)
        if path not in self.files:
            self.replace(path, b"" if shared else b"locked")
        elif not shared and not self.files[path]:
            self.replace(path, b"locked")
        elif not shared:
            self.times[path] = self.now
        return lock


class _Sink(io.BytesIO):
    """A stream whose bytes are in its file as soon as they are written, as on a disk."""

    def __init__(self, storage: MemoryStorage, path: str) -> None:
        super().__init__()
        self._storage, self._path = storage, path

    def write(self, data) -> int:
        count = super().write(data)
        if self._path in self._storage.files:
            self._storage.replace(self._path, self.getvalue())
        return count


class FaultyStorage:
    """A storage whose n-th call fails.

    Args:
        inner: The storage of the table.
        number: The number of the failing call, counted from 1; 0 for none.
        fault: `before`: the call has no effect; `after`: it takes effect, but its answer is lost; `twice`: the same,
            but a creation was sent again and fails because the file exists.
        dead: Whether every later call fails too, as for a process that was killed; `die` frees its locks.
    """

    def __init__(self, inner, number, fault, *, dead=False):
        self.inner = inner
        self.calls = 0
        self.hit = ""
        self._number = number
        self._fault = fault
        self._dead = dead
        self._locks = []

    @property
    def uri(self):
        return self.inner.uri

    @property
    def options(self):
        return self.inner.options

    def die(self):
        for lock in self._locks:
            lock.release()

    def __getattr__(self, name):
        method = getattr(self.inner, name)

        def call(*args, **kwargs):
            self.calls += 1
            if self.hit and self._dead:
                raise StorageError(f"injected: {name} on a dead store")
            if self.calls != self._number:
                return self._remembered(method(*args, **kwargs))
            self.hit = f"{name}{args[:1]}"
            if self._fault != "before":
                self._lose(method(*args, **kwargs))
            if self._fault == "twice" and name in ("create", "open_output"):
                raise AlreadyExists(f"injected: {self.hit} twice")
            raise StorageError(f"injected: {self.hit}")

        return call

    def _remembered(self, result):
        if hasattr(result, "release"):
            self._locks.append(result)
        return result

    @staticmethod
    def _lose(result):
        if hasattr(result, "release"):
            result.release()
        elif hasattr(result, "close"):
            result.close()
