"""Interface of a storage. Every path is relative to the table's root and uses `/`."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import pyarrow as pa
from msgspec import Struct

from hoodoo.errors import StorageError

__all__ = ["AlreadyExists", "FileInfo", "Lock", "Missing", "Storage"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class AlreadyExists(StorageError, FileExistsError):
    """Error about a file that exists already.

    The caller itself may have created the file in an attempt whose response was lost: compare the file's content.
    """

    code = "already_exists"


class Missing(StorageError, FileNotFoundError):
    """Error about a file that does not exist."""

    code = "missing"


class FileInfo(Struct, frozen=True, gc=False):
    """File in a listing.

    Attributes:
        path: Table-relative path.
        size: Size in bytes.
        modified: Modification time by the store's clock, in milliseconds since 1970.
    """

    path: str
    size: int
    modified: int

    @classmethod
    def at(cls, path: str, size: int, time: datetime) -> FileInfo:
        """Return the `FileInfo` of a file of `size` bytes; `time` is its modification time, with a time zone."""
        return cls(path, size, (time - _EPOCH) // timedelta(milliseconds=1))


class Lock(Protocol):
    """Held lock. The store frees it when the process of the holder ends, possibly after a delay."""

    def renew(self) -> None:
        """Set the modification time of the lock's path to now, to show that the holder is alive.

        After a release, do nothing.

        Raises:
            StorageError: The store failed, or the lock is lost: it expired and another writer took it, or its file was
                deleted.
        """
        ...

    def release(self, *, delete: bool = False) -> None:
        """Free the lock, and delete its file if `delete` is true. A second call does nothing.

        A failure raises `StorageError`, or is logged if the lock expires without a release.
        """
        ...


class Storage(Protocol):
    """Files of a table. Instances can be pickled; executors work with their own copy.

    Every method raises `StorageError`: with path and operation if the store fails, and with the path if that path is
    outside the table.
    """

    @property
    def uri(self) -> str:
        """Return the table's location in the form that `storage_for` and Spark accept."""
        ...

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options that `storage_for` needs in addition to the URI.

        They may be secret: do not log or store them.
        """
        ...

    def read(self, path: str) -> bytes:
        """Return the whole content of a file. Raises `Missing` if there is no such file."""
        ...

    def create(self, path: str, body: bytes) -> None:
        """Create a file, atomically and durably: all of `body` or no file. Raises `AlreadyExists`."""
        ...

    def replace(self, path: str, body: bytes) -> None:
        """Create or replace a file, atomically and durably: readers see the old or the new content."""
        ...

    def delete(self, path: str) -> None:
        """Remove a file, if it exists."""
        ...

    def delete_tree(self, path: str) -> None:
        """Remove a folder with its content, if it exists."""
        ...

    def exists(self, path: str) -> bool:
        """Return whether there is a file or folder at this path."""
        ...

    def size(self, path: str) -> int:
        """Return the size of a file in bytes. Raises `Missing`."""
        ...

    def modified(self, path: str) -> datetime:
        """Return the modification time of a file, in UTC, by the store's clock. Raises `Missing`."""
        ...

    def list(self, folder: str) -> builtins.list[FileInfo]:
        """Return the files directly in a folder, in any order; an empty list if there is no folder."""
        ...

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """Yield all files below a folder; for the table's root, without those in `.hoodie`.

        Yield nothing if there is no folder.
        """
        ...

    def local_path(self, path: str) -> str:
        """Return the absolute path in the local file system. Raises `StorageError` if the store has no local paths."""
        ...

    def open_input(self, path: str) -> pa.NativeFile:
        """Open a file for random reads. Raises `Missing`."""
        ...

    def open_output(self, path: str) -> pa.NativeFile:
        """Open a new file for one streaming write. The file is durable after close and `sync`.

        Until it is closed, readers see a part of the content, or no file. If the file exists, this method, a write or
        close raises `AlreadyExists`, and the file keeps its content.
        """
        ...

    def sync(self, path: str) -> None:
        """Make a file that was written with `open_output` durable, together with its name."""
        ...

    def sweep(self, folder: str) -> None:
        """Remove the temporary files of dead processes from a folder; files of live processes stay."""
        ...

    def try_lock(self, path: str, *, shared: bool = False) -> Lock | None:
        """Return the lock of a path, or None if another holder has or takes it; do not wait for that holder.

        A shared lock shows that no exclusive holder exists. In stores without shared locks, another process can take an
        exclusive lock afterwards. While an exclusive lock is held, and until its file is deleted, `read` of the path
        returns a non-empty content. Taking an exclusive lock sets the modification time of the path to now.
        """
        ...
