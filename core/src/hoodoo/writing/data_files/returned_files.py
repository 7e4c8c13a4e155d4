"""Data files that a task returns to the driver while they are small.

An executor may outlive the driver, and Spark may repeat and abandon its tasks. Therefore a task may write to the table
only if its instant has a heartbeat and open markers, each of which costs requests. A task that returns its files writes
nothing: the driver, which keeps the table lock, stores the files of the attempts whose results Spark returns. A task
stores a file that is too large to be returned as soon as the write is published.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
from attrs import define, field

from hoodoo.storage import Storage, translate_os_errors
from hoodoo.txn.markers import wait_for_markers
from hoodoo.writing.data_files.data_file import DataFile, ReturnedFile, StoredFiles
from hoodoo.writing.file_status import FileStatus

__all__ = ["ReturnedFiles", "returned_bytes", "store_returned"]

MOST_BYTES_OF_TASK = 1024 * 1024
MOST_BYTES_OF_ALL = 64 * 1024 * 1024
"""Limits, in bytes, of the files that one task and all tasks of a write return. The driver has them in memory."""

_AT_ONCE = 8


@define
class ReturnedFiles:
    """Data files of a task that are kept in memory up to a total number of bytes.

    A file that exceeds the limit is written to the store, as soon as the write is published.

    Attributes:
        storage: The table's files.
        limit: The largest total size, in bytes, of the files that are returned.
    """

    storage: Storage
    limit: int
    _begun: dict[str, DataFile] = field(factory=dict, init=False)
    _bodies: dict[str, bytes] = field(factory=dict, init=False)
    _returned: int = field(default=0, init=False)
    _stored: StoredFiles = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._stored = StoredFiles(self.storage)

    def begin(self, file: DataFile) -> None:
        """Note the file. Its marker is created when the driver or this task stores it."""
        self._begun[file.path] = file

    def open_output(self, path: str) -> pa.NativeFile:
        """Open a file in memory."""
        return pa.PythonFile(_Output(self, path), mode="w")

    def is_announced(self, file: DataFile) -> bool:
        """Return True: the file does not exist yet."""
        return True

    def sync(self, path: str) -> None:
        """Do nothing: a confirmed write to a remote store is durable."""

    def delete(self, path: str) -> None:
        """Forget a file; remove it from the store if this task stored it."""
        if path in self._begun:
            self._bodies.pop(path, None)
        else:
            self._stored.delete(path)

    def finish(self, file: DataFile) -> ReturnedFile | None:
        """Return a file that is in memory. Check a stored file, and return None; return None for a deleted file too."""
        if self._begun.pop(file.path, None) is None:
            self._stored.finish(file)
            return None
        body = self._bodies.pop(file.path, None)
        if body is None:
            return None
        self._returned += len(body)
        return ReturnedFile(file, body)

    def has_room(self, count: int) -> bool:
        """Return whether the open file may have this number of bytes."""
        return self._returned + count <= self.limit

    def keep(self, path: str, body: bytes) -> None:
        """Keep the content of a closed file."""
        self._bodies[path] = body

    def store(self, path: str) -> pa.NativeFile:
        """Wait until the write is published, announce a file that is too large to be returned, and open it.

        Raises:
            CommitError: The write is not published within `LONGEST_WAIT` seconds, because it was completed, rolled
                back, or its driver has ended.
        """
        file = self._begun[path]
        wait_for_markers(self.storage, file.instant, path)
        self._stored.begin(file)
        output = self._stored.open_output(path)
        del self._begun[path]
        return output


@define(eq=False)
class _Output:
    """Content of a new file: in memory, or in the store if the task has no room for it."""

    _files: ReturnedFiles
    _path: str
    closed: bool = field(default=False, init=False)
    _body: bytearray = field(factory=bytearray, init=False)
    _stored: pa.NativeFile | None = field(default=None, init=False)
    _position: int = field(default=0, init=False)
    _failed: bool = field(default=False, init=False)

    def writable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return False."""
        return False

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self._position

    def write(self, data: bytes) -> int:
        """Append a copy of the data. After an error, ignore the data: the file is being removed."""
        count = len(data)
        if not self._failed:
            if self._stored is None and self._files.has_room(self._position + count):
                self._body += data
            else:
                self._opened().write(bytes(data))
        self._position += count
        return count

    def _opened(self) -> pa.NativeFile:
        if self._stored is None:
            try:
                self._stored = self._files.store(self._path)
            except BaseException:
                self._failed = True
                raise
            self._stored.write(bytes(self._body))
            self._body = bytearray()
        return self._stored

    def flush(self) -> None:
        """Do nothing: the content becomes visible when the file is closed."""

    def close(self) -> None:
        """Complete the content. A second call does nothing."""
        if self.closed:
            return
        self.closed = True
        if self._stored is None:
            self._files.keep(self._path, bytes(self._body))
        else:
            self._stored.close()


def returned_bytes(tasks: int) -> int:
    """Return the bytes of files that each of a number of tasks may return."""
    return min(MOST_BYTES_OF_TASK, MOST_BYTES_OF_ALL // tasks)


def store_returned(storage: Storage, statuses: Iterable[FileStatus]) -> None:
    """Store the files that tasks returned.

    Raises:
        CommitError: A rollback discarded a file.
        StorageError: The store failed.
    """
    stored = StoredFiles(storage)

    def store(returned: ReturnedFile) -> None:
        file = returned.file
        stored.begin(file)
        with translate_os_errors("write", file.path), stored.open_output(file.path) as output:
            output.write(returned.body)
        stored.finish(file)

    files = [status.returned for status in statuses if status.returned is not None]
    if not files:
        return
    # after an error, the end of the block waits for the files that are being stored, so that a rollback finds them
    with ThreadPoolExecutor(min(_AT_ONCE, len(files))) as pool:
        list(pool.map(store, files))
