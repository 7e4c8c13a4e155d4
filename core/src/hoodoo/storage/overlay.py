"""Read-only storage with one additional file."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NoReturn

import pyarrow as pa
from attrs import field, frozen

from hoodoo.errors import StorageError
from hoodoo.storage.base import FileInfo, Lock, Storage
from hoodoo.storage.paths import parent_of

__all__ = ["OverlayStorage"]


@frozen
class OverlayStorage:
    """Storage with an additional file in the `.hoodie` folder; every change raises `StorageError`.

    Attributes:
        base: The table's files.
        path: The table-relative path of the additional file.
        body: Its content.
        modified_at: Its modification time.
    """

    base: Storage
    path: str
    body: bytes = field(repr=False)
    modified_at: datetime

    @property
    def uri(self) -> str:
        """Return the URI of the underlying storage, which does not contain the additional file."""
        return self.base.uri

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options of the underlying storage."""
        return self.base.options

    def read(self, path: str) -> bytes:
        """Return the whole content."""
        return self.body if path == self.path else self.base.read(path)

    def exists(self, path: str) -> bool:
        """Return whether there is a file or folder of this path."""
        return path == self.path or self.base.exists(path)

    def size(self, path: str) -> int:
        """Return the size of a file in bytes."""
        return len(self.body) if path == self.path else self.base.size(path)

    def modified(self, path: str) -> datetime:
        """Return the modification time of a file."""
        return self.modified_at if path == self.path else self.base.modified(path)

    def list(self, folder: str) -> builtins.list[FileInfo]:
        """Return the files directly in a folder."""
        found = self.base.list(folder)
        if folder == parent_of(self.path):
            found = [info for info in found if info.path != self.path]
            found.append(FileInfo.at(self.path, len(self.body), self.modified_at))
        return found

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """Yield all files below a folder, except those of the table's `.hoodie` folder."""
        return self.base.walk(folder)

    def local_path(self, path: str) -> str:
        """Return the path in the underlying storage."""
        return self.base.local_path(path)

    def open_input(self, path: str) -> pa.NativeFile:
        """Open a file for random reads."""
        return pa.BufferReader(self.body) if path == self.path else self.base.open_input(path)

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
        raise StorageError(
            f"{operation} '{path}': the table can only be read before its commit is completed; "
            "write to it in a post-commit hook",
            code="read_only",
        )
