"""The storage of object stores in tests: an actor observes each request, and a dead process renews no lease."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import LockLost
from hoodoo.storage import AlreadyExists, FileInfo, Lock
from hoodoo.storage.object_store.lease_lock import Lease
from hoodoo.storage.object_store.object_storage import ObjectStorage
from hoodoo.storage.object_store.remote_store import Listed
from tests.reliability.actors import acting, called
from tests.reliability.store import known_files

from .stored_files import StoredFiles

__all__ = ["ObservedObjects"]


@frozen
class _HeldLease:
    """Lease of a process; see `KeptLock`."""

    lease: Lease

    def die(self) -> None:
        self.lease._ended.set()

    def expire(self) -> None:
        self.lease.release()

    def renew(self) -> None:
        # another process may have taken the lease
        with suppress(LockLost):
            self.lease.renew()


class ObservedObjects(ObjectStorage):
    """Storage of a table in an object store. Its requests belong to the actor of the thread.

    A method that makes several requests, such as `delete_tree` and `try_lock`, is observed at each of them.
    """

    def read(self, path: str) -> bytes:
        return called("read", path, lambda: ObjectStorage.read(self, path))

    def create(self, path: str, body: bytes) -> None:
        called("create", path, lambda: ObjectStorage.create(self, path, body))

    def replace(self, path: str, body: bytes) -> None:
        called("replace", path, lambda: ObjectStorage.replace(self, path, body))

    def versioned(self, path: str) -> tuple[bytes, dict[str, str]]:
        return called("read", path, lambda: ObjectStorage.versioned(self, path))

    def swap(self, path: str, body: bytes, version: Mapping[str, str] | None) -> dict[str, str] | None:
        try:
            return called("swap", path, lambda: ObjectStorage.swap(self, path, body, version))
        except AlreadyExists:
            # the client sent the request twice, and the second one found the version of the first one
            return None

    def delete(self, path: str) -> None:
        called("delete", path, lambda: ObjectStorage.delete(self, path))

    def delete_files(self, paths: Sequence[str]) -> None:
        called("delete_files", " ".join(paths), lambda: ObjectStorage.delete_files(self, paths))

    def exists(self, path: str) -> bool:
        return called("exists", path, lambda: ObjectStorage.exists(self, path))

    def size(self, path: str) -> int:
        return called("size", path, lambda: ObjectStorage.size(self, path))

    def modified(self, path: str) -> datetime:
        return called("modified", path, lambda: ObjectStorage.modified(self, path))

    def list(self, folder: str) -> builtins.list[FileInfo]:
        return called("list", folder, lambda: ObjectStorage.list(self, folder))

    def list_if_small(self, folder: str) -> Listed | None:
        return called("list_if_small", folder, lambda: ObjectStorage.list_if_small(self, folder))

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        yield from called("walk", folder, lambda: [*ObjectStorage.walk(self, folder)])

    def open_input(self, path: str) -> pa.NativeFile:
        return called("open", path, lambda: ObjectStorage.open_input(self, path))

    def try_lock(self, path: str, *, shared: bool = False) -> Lock | None:
        lock = ObjectStorage.try_lock(self, path, shared=shared)
        files = known_files(self.uri)
        if isinstance(lock, Lease) and isinstance(files, StoredFiles):
            files.keep(acting(), _HeldLease(lock))
        return lock

    def _below(self, operation: str, folder: str) -> Iterator[FileInfo]:
        yield from called(operation, folder, lambda: [*ObjectStorage._below(self, operation, folder)])

    def _claim(self, path: str) -> None:
        called("create", path, lambda: ObjectStorage._claim(self, path))
