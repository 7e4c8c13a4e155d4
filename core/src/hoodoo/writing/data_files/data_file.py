"""Data file of a task: its announcement by a marker, its content, and the check that it was not discarded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import pyarrow as pa
from attrs import Factory, field, frozen

from hoodoo.format.partition_metadata import ensure_partition_metadata
from hoodoo.storage import Storage
from hoodoo.txn.markers import MarkerKind, check_marker, create_marker, is_announced

__all__ = ["DataFile", "DataFiles", "ReturnedFile", "StoredFiles"]


@frozen
class DataFile:
    """Name and marker of a data file that a task writes.

    Attributes:
        instant: The instant that is being written.
        path: Table-relative path of the file.
        kind: The kind of the marker.
        new_in: The partition path, if the file begins a file group, so that its partition may be new; None otherwise.
    """

    instant: str
    path: str
    kind: MarkerKind
    new_in: str | None = None


@frozen
class ReturnedFile:
    """Data file that a task does not store, but returns to the driver, which stores it.

    Attributes:
        file: The name and the marker of the file.
        body: The content of the file.
    """

    file: DataFile
    body: bytes = field(repr=False)


class DataFiles(Protocol):
    """Files of one attempt at a task.

    For each file, call `begin`, `open_output`, `is_announced`, then `sync` (after its close) or `delete`, and at last
    `finish`.
    """

    def begin(self, file: DataFile) -> None:
        """Announce a file.

        Raises:
            CommitError: The commit is being completed, is completed, or was rolled back.
        """
        ...

    def open_output(self, path: str) -> pa.NativeFile:
        """Open an announced file for one streaming write."""
        ...

    def is_announced(self, file: DataFile) -> bool:
        """Return whether the file still has its announcement; call this method after the file is opened."""
        ...

    def delete(self, path: str) -> None:
        """Remove a file, if it exists."""
        ...

    def sync(self, path: str) -> None:
        """Make a closed file durable, at once or at the latest before the write is committed."""
        ...

    def finish(self, file: DataFile) -> ReturnedFile | None:
        """Check a closed or deleted file. Return its content if the driver stores it; None if it is stored or deleted.

        Raises:
            CommitError: The commit or a rollback discarded the file.
        """
        ...


@frozen
class StoredFiles:
    """Data files that this process stores.

    Attributes:
        storage: The table's files.
        sync: Function that makes a closed file durable, at once or at the latest before the write is committed.
    """

    storage: Storage
    sync: Callable[[str], None] = field(default=Factory(lambda self: self.storage.sync, takes_self=True), repr=False)

    def begin(self, file: DataFile) -> None:
        """Create the metadata of a new partition, and the marker of the file."""
        if file.new_in is not None:
            ensure_partition_metadata(self.storage, file.new_in, file.instant)
        create_marker(self.storage, file.instant, file.path, file.kind)

    def open_output(self, path: str) -> pa.NativeFile:
        """Open a new file for one streaming write."""
        return self.storage.open_output(path)

    def is_announced(self, file: DataFile) -> bool:
        """Return whether the file has its marker; always true in a remote store."""
        return is_announced(self.storage, file.instant, file.path, file.kind)

    def delete(self, path: str) -> None:
        """Remove a file, if it exists."""
        self.storage.delete(path)

    def finish(self, file: DataFile) -> None:
        """Check that the file still has its marker; otherwise delete the file, and raise `CommitError`."""
        check_marker(self.storage, file.instant, file.path, file.kind)
