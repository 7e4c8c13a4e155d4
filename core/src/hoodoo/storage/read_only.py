"""Read-only storage for code that must not change a table, such as a diagnosis."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, ClassVar, NoReturn

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import StorageError
from hoodoo.storage.base import FileInfo, Lock, Storage

__all__ = ["ReadOnlyStorage"]


@frozen
class ReadOnlyStorage:
    """Storage in which every change raises `StorageError`, including locks.

    Attributes:
        base: The table's files.
        reason: The end of the error's message, which states why changes are refused.
    """

    reason: ClassVar[str] = "the table is opened for reading only"

    base: Storage

    @property
    def uri(self) -> str:
        """Return the URI of the underlying storage."""
        return self.base.uri

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options of the underlying storage."""
        return self.base.options

    def read(self, path: str) -> bytes:
        """Return the whole content of a file."""
        return self.base.read(path)

    def exists(self, path: str) -> bool:
        """Return whether there is a file or folder at this path."""
        return self.base.exists(path)

    def size(self, path: str) -> int:
        """Return the size of a file in bytes."""
        return self.base.size(path)

    def modified(self, path: str) -> datetime:
        """Return the modification time of a file."""
        return self.base.modified(path)

    def list(self, folder: str) -> builtins.list[FileInfo]:
        """Return the files directly in a folder."""
        return self.base.list(folder)

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """Yield all files below a folder; for the table's root, without those in `.hoodie`."""
        return self.base.walk(folder)

    def local_path(self, path: str) -> str:
        """Return the absolute path in the local file system."""
        return self.base.local_path(path)

    def open_input(self, path: str) -> pa.NativeFile:
        """Open a file for random reads."""
        return self.base.open_input(path)

    def create(self, path: str, body: bytes) -> None:
        """Raise `StorageError`: the storage is read-only."""
        self._reject("create", path)

    def replace(self, path: str, body: bytes) -> None:
        """Raise `StorageError`: the storage is read-only."""
        self._reject("replace", path)

    def delete(self, path: str) -> None:
        """Raise `StorageError`: the storage is read-only."""
        self._reject("delete", path)

    def delete_tree(self, path: str) -> None:
        """Raise `StorageError`: the storage is read-only."""
        self._reject("delete_tree", path)

    def open_output(self, path: str) -> pa.NativeFile:
        """Raise `StorageError`: the storage is read-only."""
        self._reject("create", path)

    def sync(self, path: str) -> None:
        """Raise `StorageError`: the storage is read-only."""
        self._reject("sync", path)

    def sweep(self, folder: str) -> None:
        """Raise `StorageError`: the storage is read-only."""
        self._reject("sweep", folder)

    def try_lock(self, path: str, *, shared: bool = False) -> Lock | None:
        """Raise `StorageError`: the storage is read-only."""
        self._reject("lock", path)

    def _reject(self, operation: str, path: str) -> NoReturn:
        raise StorageError(f"{operation} '{path}': {self.reason}", code="read_only")
