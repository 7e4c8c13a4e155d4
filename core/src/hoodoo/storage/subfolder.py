"""Storage of a table that is inside a folder of another table, such as the metadata table."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import pyarrow as pa
from attrs import frozen

from hoodoo.storage.base import FileInfo, Lock, Storage
from hoodoo.storage.paths import HOODIE_FOLDER, join

__all__ = ["SubfolderStorage"]

_BELOW_HOODIE = f"{HOODIE_FOLDER}/"


@frozen
class SubfolderStorage:
    """Storage whose root is a folder of another storage.

    Attributes:
        base: The storage that contains the folder.
        folder: The path of the folder, relative to the root of `base`.
    """

    base: Storage
    folder: str

    @property
    def uri(self) -> str:
        """Return the URI of the folder."""
        return f"{self.base.uri.rstrip('/')}/{self.folder}"

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options of the underlying storage."""
        return self.base.options

    def read(self, path: str) -> bytes:
        """Return the whole content of a file."""
        return self.base.read(self._at(path))

    def create(self, path: str, body: bytes) -> None:
        """Create a file, atomically and durably."""
        self.base.create(self._at(path), body)

    def replace(self, path: str, body: bytes) -> None:
        """Create or replace a file, atomically and durably."""
        self.base.replace(self._at(path), body)

    def delete(self, path: str) -> None:
        """Remove a file, if it exists."""
        self.base.delete(self._at(path))

    def delete_tree(self, path: str) -> None:
        """Remove a folder with its content, if it exists; for "", everything in this storage."""
        self.base.delete_tree(self._at(path))

    def exists(self, path: str) -> bool:
        """Return whether there is a file or folder at this path."""
        return self.base.exists(self._at(path))

    def size(self, path: str) -> int:
        """Return the size of a file in bytes."""
        return self.base.size(self._at(path))

    def modified(self, path: str) -> datetime:
        """Return the modification time of a file."""
        return self.base.modified(self._at(path))

    def list(self, folder: str) -> builtins.list[FileInfo]:
        """Return the files directly in a folder."""
        return [self._own(info) for info in self.base.list(self._at(folder))]

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """Yield all files below a folder, except those in this table's `.hoodie`, even if `folder` is inside it."""
        for info in self.base.walk(self._at(folder)):
            own = self._own(info)
            if not own.path.startswith(_BELOW_HOODIE):
                yield own

    def local_path(self, path: str) -> str:
        """Return the absolute path in the local file system."""
        return self.base.local_path(self._at(path))

    def open_input(self, path: str) -> pa.NativeFile:
        """Open a file for random reads."""
        return self.base.open_input(self._at(path))

    def open_output(self, path: str) -> pa.NativeFile:
        """Open a new file for one streaming write."""
        return self.base.open_output(self._at(path))

    def sync(self, path: str) -> None:
        """Make a file that was written with `open_output` durable."""
        self.base.sync(self._at(path))

    def sweep(self, folder: str) -> None:
        """Remove the temporary files of dead processes from a folder."""
        self.base.sweep(self._at(folder))

    def try_lock(self, path: str, *, shared: bool = False) -> Lock | None:
        """Return the lock of a path, or None if another holder has it."""
        return self.base.try_lock(self._at(path), shared=shared)

    def _at(self, path: str) -> str:
        return join(self.folder, path)

    def _own(self, info: FileInfo) -> FileInfo:
        return FileInfo(info.path.removeprefix(f"{self.folder}/"), info.size, info.modified)
