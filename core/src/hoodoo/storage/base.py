"""What a store must offer. Every path is relative to the table's root and written with `/`."""

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
    """Put-if-absent found a file: another writer's, or our own after a response that got lost. Read back to know."""

    code = "already_exists"


class Missing(StorageError, FileNotFoundError):
    """The file is not there."""

    code = "missing"


class FileInfo(Struct, frozen=True, gc=False):
    """A file in a listing.

    Attributes:
        path: Table-relative path.
        size: Bytes.
        modified: When it was last modified by the store's clock, in milliseconds since 1970.
    """

    path: str
    size: int
    modified: int

    @classmethod
    def at(cls, path: str, size: int, time: datetime) -> FileInfo:
        """The file as of a time that has a time zone."""
        return cls(path, size, (time - _EPOCH) // timedelta(milliseconds=1))


class Lock(Protocol):
    """A lock that is held; the store frees it when the process that holds it dies, at once or after a while."""

    def renew(self) -> None:
        """Show that the holder is alive: what the lock's path stands for was modified now.

        Raises:
            StorageError: The store fails, or took the holder for dead, and another writer has the lock.
        """
        ...

    def release(self, *, delete: bool = False) -> None:
        """Free the lock; with `delete`, the file that stands for it goes too. A second call does nothing."""
        ...


class Storage(Protocol):
    """A table's files. Instances can be pickled: executors work through their own copy.

    Every method raises `StorageError` with path and operation where the store fails, and where a path leaves the table.
    """

    @property
    def uri(self) -> str:
        """Where the table is, in the form that `storage_for` and Spark take."""
        ...

    @property
    def options(self) -> Mapping[str, Any]:
        """What `storage_for` takes beside the URI. It may hold secrets: it is not shown and not stored."""
        ...

    def read(self, path: str) -> bytes:
        """The whole content. Raises `Missing` where there is no file."""
        ...

    def create(self, path: str, body: bytes) -> None:
        """Put if absent, atomic and durable: either no file, or all of `body`. Raises `AlreadyExists`."""
        ...

    def replace(self, path: str, body: bytes) -> None:
        """Put in any case, atomic and durable: readers see the old or the new content."""
        ...

    def delete(self, path: str) -> None:
        """Remove a file; none there is fine."""
        ...

    def delete_tree(self, path: str) -> None:
        """Remove a folder and all that is in it; none there is fine."""
        ...

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""
        ...

    def size(self, path: str) -> int:
        """Return the bytes of a file. Raises `Missing`."""
        ...

    def modified(self, path: str) -> datetime:
        """When a file was last modified, in UTC, by the store's clock. Raises `Missing`."""
        ...

    def list(self, folder: str) -> builtins.list[FileInfo]:
        """The files directly in a folder, in no particular order; none where there is no folder."""
        ...

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """All files below a folder, without the table's own `.hoodie` folder; none where there is no folder."""
        ...

    def local_path(self, path: str) -> str:
        """The path for readers that open local files themselves. Raises `StorageError` where the store has none."""
        ...

    def open_input(self, path: str) -> pa.NativeFile:
        """Open for random reads. Raises `Missing`."""
        ...

    def open_output(self, path: str) -> pa.NativeFile:
        """Open a new file for one streaming write. Raises `AlreadyExists`. Durable only after close and `sync`.

        Until it is closed, others find less than what was written, or nothing yet.
        """
        ...

    def sync(self, path: str) -> None:
        """Make a file that was written through `open_output` durable, its name included."""
        ...

    def sweep(self, folder: str) -> None:
        """Remove the temporary files that dead processes left in a folder; live ones keep theirs."""
        ...

    def try_lock(self, path: str, *, shared: bool = False) -> Lock | None:
        """Take the lock that a path stands for, or None where another holder has it; never waits.

        A shared lock says that nobody held an exclusive one; stores that cannot share locks let others take one then.
        While an exclusive lock is held, and until its file is deleted, `read` of the path finds something there that is
        not empty.
        """
        ...
