"""Storage in HDFS, with a client that needs no JVM."""

from __future__ import annotations

import builtins
import functools
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pyarrow as pa
from attrs import frozen
from hdfs_native import Client, FileStatus, WriteOptions

from hoodoo.errors import StorageError
from hoodoo.storage.base import FileInfo, Lock, Missing
from hoodoo.storage.hdfs.hdfs_errors import translate_hdfs_errors
from hoodoo.storage.hdfs.hdfs_files import HdfsWriter, reader_of
from hoodoo.storage.hdfs.hdfs_lock import try_hdfs_lock
from hoodoo.storage.paths import HOODIE_FOLDER, check_relative, join, name_of
from hoodoo.storage.temporary_files import is_temporary, temporary_path

__all__ = ["HdfsStorage"]

_LEASES = f"{HOODIE_FOLDER}/.hoodoo_leases"
_TEMPORARY_SECONDS = 3600
"""Age in seconds from which a temporary file is regarded as that of a dead process; one small write takes less."""

_LIMITS = {
    "dfs.client.failover.max.attempts": "8",
    "dfs.client.failover.sleep.base.millis": "250",
    "dfs.client.failover.sleep.max.millis": "5000",
}
"""Limits of the attempts to reach a NameNode, which take about half a minute."""


@frozen
class HdfsStorage:
    """Files below one folder of HDFS.

    The environment configures the client, as for Hadoop: `HADOOP_CONF_DIR` for the NameNodes of a cluster, and
    `HADOOP_USER_NAME` or a Kerberos ticket for the user.

    Attributes:
        authority: Host and port of the NameNode, or the name of a cluster; "" for the default of the configuration.
        root: The absolute path of the table.
    """

    authority: str
    root: str

    @property
    def uri(self) -> str:
        """Return the table's location."""
        return f"hdfs://{self.authority}{self.root}"

    @property
    def options(self) -> Mapping[str, Any]:
        """Return an empty mapping: the configuration comes from the environment."""
        return {}

    def local_path(self, path: str) -> str:
        """Raise `StorageError`: files of HDFS have no local path."""
        raise StorageError(f"'{path}' has no local path: the table is at {self.uri}; use `open_input`", code="path")

    def read(self, path: str) -> bytes:
        """Return the whole content of a file. Raises `Missing` if there is no such file."""
        full = self._full(path)
        with self._operation("read", path):
            return bytes(self._client.read(full).read())

    def create(self, path: str, body: bytes) -> None:
        """Create a file atomically. Raises `AlreadyExists`."""
        self._put("create", path, body, overwrite=False)

    def replace(self, path: str, body: bytes) -> None:
        """Create or replace a file atomically; readers see the old or the new content."""
        self._put("replace", path, body, overwrite=True)

    def delete(self, path: str) -> None:
        """Remove a file, if it exists."""
        full = self._full(path)
        with self._operation("delete", path):
            self._client.delete(full, False)

    def delete_tree(self, path: str) -> None:
        """Remove a folder with its content, if it exists. Raises `StorageError` for the table's root."""
        if path == "":
            raise StorageError(
                f"delete_tree: the table's root {self.uri} cannot be deleted; give the path of a folder in it",
                code="path",
            )
        full = self._full(path)
        with self._operation("delete_tree", path):
            self._client.delete(full, True)

    def exists(self, path: str) -> bool:
        """Return whether there is a file or folder at this path."""
        try:
            self._status("exists", path)
        except Missing:
            return False
        return True

    def size(self, path: str) -> int:
        """Return the size of a file in bytes. Raises `Missing`."""
        return self._status("stat", path).length

    def modified(self, path: str) -> datetime:
        """Return the modification time of a file, in UTC. Raises `Missing`."""
        return datetime.fromtimestamp(self._status("stat", path).modification_time / 1000, UTC)

    def list(self, folder: str) -> builtins.list[FileInfo]:
        """Return the files directly in a folder; an empty list if there is no folder."""
        return [self._info(status) for status in self._listed("list", folder) if not status.isdir]

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """Yield all files below a folder; for the table's root, without those in `.hoodie`.

        Yield nothing if there is no folder.
        """
        if folder:
            yield from self._below(folder)
            return
        for status in self._listed("walk", folder):
            if not status.isdir:
                yield self._info(status)
            elif (path := self._path(status)) != HOODIE_FOLDER:
                yield from self._below(path)

    def open_input(self, path: str) -> pa.NativeFile:
        """Open a file for random reads. Raises `Missing`."""
        full = self._full(path)
        with self._operation("open", path):
            file = self._client.read(full)
            reader = reader_of(file, partial(self._operation, "read", path))
        return pa.PythonFile(reader, mode="r")

    def open_output(self, path: str) -> pa.NativeFile:
        """Open a new file for one streaming write. Raises `AlreadyExists`."""
        full = self._full(path)
        with self._operation("create", path):
            file = self._client.create(full, WriteOptions(create_parent=True))
        return pa.PythonFile(HdfsWriter(file, partial(self._operation, "write", path)), mode="w")

    def sync(self, path: str) -> None:
        """Do nothing: a closed file is on the disks of its DataNodes, see `HdfsWriter`."""

    def sweep(self, folder: str) -> None:
        """Remove the temporary files of dead processes from a folder: those that are older than an hour."""
        oldest = (time.time() - _TEMPORARY_SECONDS) * 1000
        for info in self.list(folder):
            if is_temporary(name_of(info.path)) and info.modified < oldest:
                self.delete(info.path)

    def try_lock(self, path: str, *, shared: bool = False) -> Lock | None:
        """Return the lock of a path, or None if another holder has it; see `hoodoo.storage.hdfs.hdfs_lock`."""
        lease = self._full(join(_LEASES, path.replace("%", "%25").replace("/", "%2F")))
        return try_hdfs_lock(
            self._client, self._full(path), lease, partial(self._operation, "lock", path), shared=shared
        )

    def _put(self, operation: str, path: str, body: bytes, *, overwrite: bool) -> None:
        """Write a temporary file and rename it; in HDFS, a rename is atomic."""
        full = self._full(path)
        if not overwrite and self.exists(path):
            # the rename would fail as well; this check saves the temporary file
            self._raise_exists(path)
        temporary = temporary_path(full)
        with self._operation(operation, path):
            writer = HdfsWriter(self._client.create(temporary, WriteOptions(create_parent=True)), self._untranslated)
            try:
                writer.write(body)
                writer.close()
                self._client.rename(temporary, full, overwrite=overwrite)
            except BaseException:
                self._client.delete(temporary, False)
                raise

    def _raise_exists(self, path: str) -> None:
        with self._operation("create", path):
            raise FileExistsError(path)

    @staticmethod
    def _untranslated() -> AbstractContextManager[None]:
        return translate_hdfs_errors("write", "", "")

    @property
    def _client(self) -> Client:
        with self._operation("connect", ""):
            return _connected(self.authority, os.getpid())

    def _status(self, operation: str, path: str) -> FileStatus:
        full = self._full(path)
        with self._operation(operation, path):
            return self._client.get_file_info(full)

    def _listed(self, operation: str, folder: str, *, recursive: bool = False) -> builtins.list[FileStatus]:
        full = self._full(folder)
        try:
            with self._operation(operation, folder):
                return list(self._client.list_status(full, recursive))
        except Missing:
            return []

    def _below(self, folder: str) -> Iterator[FileInfo]:
        listed = self._listed("walk", folder, recursive=True)
        yield from (self._info(status) for status in listed if not status.isdir)

    def _full(self, path: str) -> str:
        return f"{self.root.rstrip('/')}/{check_relative(path)}" if path else self.root

    def _path(self, status: FileStatus) -> str:
        return status.path.removeprefix(f"{self.root.rstrip('/')}/")

    def _info(self, status: FileStatus) -> FileInfo:
        return FileInfo(self._path(status), status.length, status.modification_time)

    def _operation(self, operation: str, path: str) -> AbstractContextManager[None]:
        return translate_hdfs_errors(operation, path, f"{self.uri.rstrip('/')}/{path}" if path else self.uri)


@functools.lru_cache(maxsize=64)
def _connected(authority: str, process: int) -> Client:
    """Return the client of a cluster; a forked process needs its own."""
    return Client(f"hdfs://{authority}" if authority else None, _LIMITS)
