"""Read-only storage with one additional file."""

from __future__ import annotations

import builtins
from datetime import datetime
from typing import ClassVar

import pyarrow as pa
from attrs import field, frozen

from hoodoo.storage.base import FileInfo
from hoodoo.storage.paths import parent_of
from hoodoo.storage.read_only import ReadOnlyStorage

__all__ = ["OverlayStorage"]


@frozen
class OverlayStorage(ReadOnlyStorage):
    """Storage with an additional file in the `.hoodie` folder; every change raises `StorageError`.

    The URI and the options are those of the underlying storage, which does not contain the additional file.

    Attributes:
        base: The table's files.
        path: The table-relative path of the additional file.
        body: The content of the additional file.
        modified_at: The modification time of the additional file.
    """

    reason: ClassVar[str] = "the table is read-only until its commit is completed; write to it in a post-commit hook"

    path: str
    body: bytes = field(repr=False)
    modified_at: datetime

    def read(self, path: str) -> bytes:
        """Return the whole content of a file."""
        return self.body if path == self.path else self.base.read(path)

    def exists(self, path: str) -> bool:
        """Return whether there is a file or folder at this path."""
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

    def open_input(self, path: str) -> pa.NativeFile:
        """Open a file for random reads."""
        return pa.BufferReader(self.body) if path == self.path else self.base.open_input(path)
