"""A table with one file more than its store has, to be looked at and not to be changed."""

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
    """What `beneath` holds, and a file of the `.hoodie` folder that it does not hold; whatever changes it is refused.

    Attributes:
        beneath: The table's files.
        path: The table-relative path of the file that is shown in addition.
        body: Its content.
        shown_at: When it was modified, as it says.
    """

    beneath: Storage
    path: str
    body: bytes = field(repr=False)
    shown_at: datetime

    @property
    def uri(self) -> str:
        """That of the storage beneath: whoever opens it there does not find the file."""
        return self.beneath.uri

    @property
    def options(self) -> Mapping[str, Any]:
        """Those of the storage beneath."""
        return self.beneath.options

    def read(self, path: str) -> bytes:
        """The whole content."""
        return self.body if path == self.path else self.beneath.read(path)

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""
        return path == self.path or self.beneath.exists(path)

    def size(self, path: str) -> int:
        """Return the bytes of a file."""
        return len(self.body) if path == self.path else self.beneath.size(path)

    def modified(self, path: str) -> datetime:
        """When a file was last modified."""
        return self.shown_at if path == self.path else self.beneath.modified(path)

    def list(self, folder: str) -> builtins.list[FileInfo]:
        """The files directly in a folder."""
        found = self.beneath.list(folder)
        if folder == parent_of(self.path):
            found = [info for info in found if info.path != self.path]
            found.append(FileInfo.at(self.path, len(self.body), self.shown_at))
        return found

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """All files below a folder, without the table's own `.hoodie` folder."""
        return self.beneath.walk(folder)

    def local_path(self, path: str) -> str:
        """The path beneath."""
        return self.beneath.local_path(path)

    def open_input(self, path: str) -> pa.NativeFile:
        """Open for random reads."""
        return pa.BufferReader(self.body) if path == self.path else self.beneath.open_input(path)

    def create(self, path: str, body: bytes) -> None:
        """Refused."""
        self._refuse("create", path)

    def replace(self, path: str, body: bytes) -> None:
        """Refused."""
        self._refuse("replace", path)

    def delete(self, path: str) -> None:
        """Refused."""
        self._refuse("delete", path)

    def delete_tree(self, path: str) -> None:
        """Refused."""
        self._refuse("delete_tree", path)

    def open_output(self, path: str) -> pa.NativeFile:
        """Refused."""
        self._refuse("create", path)

    def sync(self, path: str) -> None:
        """Refused."""
        self._refuse("sync", path)

    def sweep(self, folder: str) -> None:
        """Refused."""
        self._refuse("sweep", folder)

    def try_lock(self, path: str, *, shared: bool = False) -> Lock | None:
        """Refused."""
        self._refuse("lock", path)

    def _refuse(self, operation: str, path: str) -> NoReturn:
        raise StorageError(
            f"{operation} '{path}': a table as a commit that has not happened would leave it can only be read",
            code="read_only",
        )
