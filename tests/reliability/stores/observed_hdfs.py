"""The storage of HDFS in tests: an actor observes each call of the client, and the locks of a process end with it.

`create` and `replace` make three calls: the creation of a temporary file, its completion, and a rename.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from attrs import define
from hdfs_native import Client, FileReader, FileStatus, FileWriter, WriteOptions

from hoodoo.storage.hdfs.hdfs_storage import _LEASES, HdfsStorage
from tests.reliability.actors import acting, called
from tests.reliability.store import known_files

from .stored_files import StoredFiles

__all__ = ["ObservedHdfs"]


class ObservedHdfs(HdfsStorage):
    """Storage of a table in HDFS. The calls of its client belong to the actor of the thread."""

    @property
    def _client(self) -> Any:
        files = known_files(self.uri)
        client: Client = HdfsStorage._client.fget(self)  # type: ignore[attr-defined]
        return client if not isinstance(files, StoredFiles) else _Client(client, files, self._shorter)

    def _shorter(self, path: str) -> str:
        return path.removeprefix(self.root).lstrip("/")


@define
class _Client:
    """Client of a cluster; paths are absolute. A lock whose call failed ends at once, instead of after a minute."""

    _client: Client
    _files: StoredFiles
    _shorter: Callable[[str], str]

    def read(self, path: str) -> FileReader:
        return called("read", self._shorter(path), lambda: self._client.read(path))

    def create(self, path: str, options: WriteOptions) -> _Writer:
        return self._opened("open_output", path, lambda: self._client.create(path, options))

    def append(self, path: str) -> _Writer:
        return self._opened("append", path, lambda: self._client.append(path))

    def rename(self, source: str, target: str, overwrite: bool) -> None:
        operation = "replace" if overwrite else "create"
        called(operation, self._shorter(target), lambda: self._client.rename(source, target, overwrite=overwrite))

    def delete(self, path: str, recursive: bool) -> bool:
        operation = "delete_tree" if recursive else "delete"
        return called(operation, self._shorter(path), lambda: self._client.delete(path, recursive))

    def get_file_info(self, path: str) -> FileStatus:
        return called("exists", self._shorter(path), lambda: self._client.get_file_info(path))

    def list_status(self, path: str, recursive: bool) -> builtins.list[FileStatus]:
        return called("list", self._shorter(path), lambda: [*self._client.list_status(path, recursive)])

    def set_times(self, path: str, modified: int, accessed: int) -> None:
        called("set_times", self._shorter(path), lambda: self._client.set_times(path, modified, accessed))

    def _opened(self, operation: str, path: str, work: Callable[[], FileWriter]) -> _Writer:
        short, opened = self._shorter(path), []

        def open_file() -> _Writer:
            writer = _Writer(work(), short)
            opened.append(writer)
            if short.startswith(_LEASES):
                self._files.keep(actor, writer)
            return writer

        actor = acting()
        try:
            return called(operation, short, open_file)
        except Exception:
            for writer in opened:
                writer.expire()
            raise


@define
class _Writer:
    """Open file of a client."""

    _writer: FileWriter
    _path: str
    _is_open: bool = True

    def write(self, data: bytes) -> int:
        return self._writer.write(data)

    def hsync(self) -> None:
        called("sync", self._path, self._writer.hsync)

    def close(self) -> None:
        try:
            called("release" if self._path.startswith(_LEASES) else "close", self._path, self.end)
        except Exception:
            if self._path.startswith(_LEASES):
                self.expire()
            raise

    def end(self) -> None:
        """Close the file. A second call does nothing."""
        if self._is_open:
            self._is_open = False
            self._writer.close()

    def expire(self) -> None:
        """End the lease of the file, if the file was not deleted."""
        with suppress(FileNotFoundError):
            self.end()

    def die(self) -> None:
        """End the lease at once; the NameNode would end it after a minute."""
        self.expire()

    def renew(self) -> None:
        """Do nothing: the client renews its leases by the clock of the machine."""
