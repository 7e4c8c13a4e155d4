"""Reduction of requests to remote stores: one listing for a whole small folder, and a cache of small files."""

from __future__ import annotations

import builtins
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import ClassVar, Protocol, runtime_checkable

from attrs import define, field, frozen

from hoodoo.storage.base import FileInfo, Missing, Storage
from hoodoo.storage.paths import HOODIE_FOLDER, join, parent_of
from hoodoo.storage.read_only import ReadOnlyStorage

__all__ = ["PrefetchedStorage", "RemoteStore", "keeps_body", "known_bodies", "listed_at_once"]

_BELOW_HOODIE = f"{HOODIE_FOLDER}/"
_LARGEST_BODY = 256 * 1024
_MOST_BYTES = 16 * 1024 * 1024

Listed = Mapping[str, tuple[FileInfo, str]]
"""Files by path, each with the version of its content."""


@runtime_checkable
class RemoteStore(Protocol):
    """Store in which each call is a request over a network, and a new file has no visible content before its close."""

    @property
    def uri(self) -> str:
        """Return the table's location."""
        ...

    def list_if_small(self, folder: str) -> Listed | None:
        """Return all files below a folder with their versions; None if one request does not list all of them."""
        ...

    def read_with_version(self, path: str) -> tuple[bytes, str]:
        """Return the content and its version, as in listings; "" if the store gives no version. Raises `Missing`."""
        ...

    def delete_files(self, paths: Sequence[str]) -> None:
        """Remove those of the files that exist, with one request for many files if the store permits it."""
        ...


@define(eq=False)
class _KnownBodies:
    """Contents of small files in `.hoodie` that this process read or wrote, by location, path and version.

    A version identifies one content, so that entries are never outdated. Files of more than 256 KiB are not kept. If
    the total exceeds 16 MiB, the least recently used entries are dropped.
    """

    _bodies: OrderedDict[tuple[str, str, str], bytes] = field(factory=OrderedDict, init=False)
    _bytes: int = field(default=0, init=False)
    _mutex: threading.Lock = field(factory=threading.Lock, init=False)

    def get(self, uri: str, path: str, version: str) -> bytes | None:
        key = (uri, path, version)
        with self._mutex:
            body = self._bodies.get(key)
            if body is not None:
                self._bodies.move_to_end(key)
            return body

    def put(self, uri: str, path: str, version: str, body: bytes) -> None:
        if not keeps_body(path) or not version or len(body) > _LARGEST_BODY:
            return
        key = (uri, path, version)
        with self._mutex:
            if key not in self._bodies:
                self._bodies[key] = body
                self._bytes += len(body)
            while self._bytes > _MOST_BYTES:
                self._bytes -= len(self._bodies.popitem(last=False)[1])

    def clear(self) -> None:
        with self._mutex:
            self._bodies.clear()
            self._bytes = 0


known_bodies = _KnownBodies()


def keeps_body(path: str) -> bool:
    """Return whether the content of a file may be cached: that of each file in `.hoodie`, except hidden entries."""
    return path.startswith(_BELOW_HOODIE) and not path.startswith(f"{_BELOW_HOODIE}.")


def listed_at_once(storage: Storage, folder: str = "") -> Storage:
    """Return a read-only storage that lists a folder with one request, if the store is remote; otherwise `storage`.

    Args:
        storage: The table's files.
        folder: The folder; "" for the whole table.
    """
    return PrefetchedStorage(storage, storage, folder) if isinstance(storage, RemoteStore) else storage


@frozen
class PrefetchedStorage(ReadOnlyStorage):
    """Storage that uses one listing of a folder and its subfolders, made on first use.

    The first `list`, `walk`, `exists` or `modified` of a path uses the listing. A repeated call is a request to the
    store, so that a reload finds changes. If one request cannot list the whole folder, every call is a request.

    Attributes:
        store: The underlying storage, as a remote store.
        folder: The folder; "" for the whole table.
    """

    reason: ClassVar[str] = "the listing of a table does not change the table"

    store: RemoteStore
    folder: str
    _answered: set[tuple[str, str]] = field(factory=set, init=False, eq=False, repr=False)

    @cached_property
    def listed(self) -> Listed | None:
        """Return the files below the folder, or None if they are too many for one request."""
        return self.store.list_if_small(self.folder)

    def read(self, path: str) -> bytes:
        """Return the whole content of a file, from the cache if that has the listed version."""
        if not self._covers(path) or not keeps_body(path):
            return self.base.read(path)
        version = self.listed[path][1] if self.listed and path in self.listed else ""
        known = known_bodies.get(self.uri, path, version)
        if known is not None:
            return known
        body, version = self.store.read_with_version(path)
        known_bodies.put(self.uri, path, version, body)
        return body

    def exists(self, path: str) -> bool:
        """Return whether there is a file or folder at this path."""
        listed = self._first("exists", path)
        if listed is None:
            return self.base.exists(path)
        return path in listed or any(file.startswith(f"{path}/") for file in listed)

    def modified(self, path: str) -> datetime:
        """Return the modification time of a file. Raises `Missing`."""
        listed = self._first("modified", path)
        if listed is None:
            return self.base.modified(path)
        if path not in listed:
            raise Missing(f"stat '{path}': no such object ({join(self.uri, path)})")
        return datetime.fromtimestamp(listed[path][0].modified / 1000, UTC)

    def list(self, folder: str) -> builtins.list[FileInfo]:
        """Return the files directly in a folder."""
        listed = self._first("list", folder)
        if listed is None:
            return self.base.list(folder)
        return [info for path, (info, _) in listed.items() if parent_of(path) == folder]

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """Yield all files below a folder; for the table's root, without those in `.hoodie`."""
        listed = self._first("walk", folder)
        if listed is None:
            yield from self.base.walk(folder)
        elif folder:
            yield from (info for path, (info, _) in listed.items() if path.startswith(f"{folder}/"))
        else:
            yield from (info for path, (info, _) in listed.items() if not path.startswith(_BELOW_HOODIE))

    def _first(self, operation: str, path: str) -> Listed | None:
        """Return the listing if it covers a path and this is the first call of the operation for that path.

        Otherwise, or if the folder has too many files for one listing, return None.
        """
        if (operation, path) in self._answered or not self._covers(path):
            return None
        self._answered.add((operation, path))
        return self.listed

    def _covers(self, path: str) -> bool:
        return not self.folder or path == self.folder or path.startswith(f"{self.folder}/")
