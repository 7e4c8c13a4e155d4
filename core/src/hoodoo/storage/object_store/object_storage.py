"""Storage in an object store with conditional writes, through the library obstore."""

from __future__ import annotations

import builtins
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from typing import Any

import obstore
import pyarrow as pa
from attrs import field, frozen
from obstore.store import ObjectStore

from hoodoo.errors import StorageError
from hoodoo.storage.base import AlreadyExists, FileInfo, Lock, Missing
from hoodoo.storage.object_store.client import PACES, connect
from hoodoo.storage.object_store.lease_lock import try_lease
from hoodoo.storage.object_store.object_errors import VersionChanged, translate_errors
from hoodoo.storage.object_store.object_files import ObjectWriter, opened_reader
from hoodoo.storage.object_store.prefetch import PrefetchingFile
from hoodoo.storage.object_store.remote_store import Listed, known_bodies
from hoodoo.storage.object_store.write_pace import WritePace
from hoodoo.storage.paths import HOODIE_FOLDER, check_relative, join

__all__ = ["ObjectStorage"]

_CLAIM = "hoodoo_claim"
"""Metadata key of the token of a claim; Azure requires that it is an identifier."""
_LISTED_AT_ONCE = 64
_PAGE = 1000
"""Maximum number of objects that one request lists."""


@frozen
class ObjectStorage:
    """Objects below one prefix of a bucket.

    The store must offer put-if-absent and compare-and-swap, and strong consistency. The client repeats a request whose
    response was lost, so `create` may raise `AlreadyExists` for an object that it created itself; read the object to
    find out.

    Attributes:
        scheme: One of `hoodoo.storage.resolve.OBJECT_STORES`.
        bucket: The bucket's name; in Hadoop's locations of Azure `container@account.dfs.core.windows.net`.
        prefix: The table's prefix without leading or trailing slash; "" for the whole bucket.
        options: Access to the store, see `StorageOptions`; missing settings come from the environment.
    """

    scheme: str
    bucket: str
    prefix: str
    options: Mapping[str, Any] = field(factory=dict, repr=False, hash=False)

    @property
    def uri(self) -> str:
        """Return the table's location, with the scheme that the user gave."""
        return f"{self.scheme}://{join(self.bucket, self.prefix)}"

    @property
    def write_pace(self) -> WritePace:
        """Return the least time between two writes of one object."""
        return PACES.get(self.scheme, WritePace())

    def local_path(self, path: str) -> str:
        """Raise `StorageError`: objects have no local path."""
        raise StorageError(f"'{path}' has no local path: the table is at {self.uri}; use `open_input`", code="path")

    def read(self, path: str) -> bytes:
        """Return the whole content of an object. Raises `Missing` if there is no such object."""
        with self._operation("read", path):
            return bytes(obstore.get(self._store, self._key(path)).bytes())

    def create(self, path: str, body: bytes) -> None:
        """Create an object. Raises `AlreadyExists`, even if an earlier attempt of this call created the object."""
        with self._operation("create", path):
            created = obstore.put(self._store, self._key(path), body, mode="create", use_multipart=False)
        known_bodies.put(self.uri, path, created.get("e_tag") or "", body)

    def replace(self, path: str, body: bytes) -> None:
        """Create or replace an object."""
        with self._operation("replace", path):
            obstore.put(self._store, self._key(path), body, use_multipart=False)

    def versioned(self, path: str) -> tuple[bytes, dict[str, str]]:
        """Return the content and its version for `swap`. Raises `Missing`."""
        with self._operation("read", path):
            found = obstore.get(self._store, self._key(path))
            return bytes(found.bytes()), _version(found.meta)

    def read_with_version(self, path: str) -> tuple[bytes, str]:
        """Return the content and its version, as in `list_if_small`, or "" for an unknown version. Raises `Missing`."""
        body, version = self.versioned(path)
        return body, version.get("e_tag", "")

    def swap(self, path: str, body: bytes, version: Mapping[str, str] | None) -> dict[str, str] | None:
        """Replace the given version of an object, or create the object if `version` is None.

        Return the new version, or None if the object has another version, is missing, or exists although `version`
        is None. The other version can be the caller's own, if the response of an earlier attempt was lost.
        """
        mode: Any = "create" if version is None else dict(version)
        try:
            with self._operation("swap", path):
                return _version(obstore.put(self._store, self._key(path), body, mode=mode, use_multipart=False))
        except (AlreadyExists, VersionChanged, Missing):
            return None

    def delete(self, path: str) -> None:
        """Remove an object, if it exists."""
        try:
            with self._operation("delete", path):
                obstore.delete(self._store, self._key(path))
        except Missing:
            return

    def delete_tree(self, path: str) -> None:
        """Remove all objects below a path. Raises `StorageError` for the table's root."""
        if path == "":
            raise StorageError(
                f"delete_tree: the table's root {self.uri} cannot be deleted; give the path of a folder in it",
                code="path",
            )
        # another process may remove the same objects
        self.delete_files([info.path for info in self._below("delete_tree", path)])

    def delete_files(self, paths: Sequence[str]) -> None:
        """Remove those of the objects that exist, with one request for many objects if the store permits it."""
        try:
            with self._operation("delete", paths[0] if paths else ""):
                if paths:
                    obstore.delete(self._store, [self._key(path) for path in paths])
        except Missing:
            # some stores stop at the first missing object
            for path in paths:
                self.delete(path)

    def exists(self, path: str) -> bool:
        """Return whether there is an object at this path or below it."""
        key = self._key(path)
        with self._operation("exists", path):
            try:
                obstore.head(self._store, key)
            except FileNotFoundError:
                return any(obstore.list(self._store, key, chunk_size=1))
            return True

    def size(self, path: str) -> int:
        """Return the size of an object in bytes. Raises `Missing`."""
        with self._operation("stat", path):
            size: int = obstore.head(self._store, self._key(path))["size"]
            return size

    def modified(self, path: str) -> datetime:
        """Return the modification time by the store's clock, usually in whole seconds. Raises `Missing`."""
        with self._operation("stat", path):
            return obstore.head(self._store, self._key(path))["last_modified"]

    def list(self, folder: str) -> builtins.list[FileInfo]:
        """Return the objects directly below a path."""
        with self._operation("list", folder):
            found = obstore.list_with_delimiter(self._store, self._key(folder) or None)
        return [self._info(meta) for meta in found["objects"]]

    def list_if_small(self, folder: str) -> Listed | None:
        """Return all objects below a path with their versions; None if there are a thousand or more."""
        with self._operation("list", folder):
            page = next(iter(obstore.list(self._store, self._key(folder) or None, chunk_size=_PAGE)), ())
            found = {self._path(meta["path"]): (self._info(meta), meta.get("e_tag") or "") for meta in page}
        return found if len(found) < _PAGE else None

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """Yield all objects below a path; for the table's root, without those in `.hoodie`."""
        if folder:
            yield from self._below("walk", folder)
            return
        with self._operation("walk", folder):
            found = obstore.list_with_delimiter(self._store, self.prefix or None)
        yield from (self._info(meta) for meta in found["objects"])
        folders = [path for key in found["common_prefixes"] if (path := self._path(key)) != HOODIE_FOLDER]
        # a request returns at most a thousand objects, and most of its time is latency
        with ThreadPoolExecutor(max_workers=_LISTED_AT_ONCE) as pool:
            for listed in pool.map(lambda path: [*self._below("walk", path)], folders):
                yield from listed

    def open_input(self, path: str) -> pa.NativeFile:
        """Open an object for random reads by ranges, which readers can prefetch. Raises `Missing`."""
        with self._operation("open", path):
            reader = opened_reader(self._store, self._key(path), partial(self._operation, "read", path))
        return PrefetchingFile(reader, mode="r")

    def open_output(self, path: str) -> pa.NativeFile:
        """Open a new object for one streaming write.

        An object of up to 8 MiB is created by one request when it is closed, which raises `AlreadyExists`. A larger one
        is sent in parts. An empty object then reserves the name, because multipart uploads replace an existing object;
        the write that exceeds 8 MiB raises `AlreadyExists`. If the process of an upload dies, its parts remain
        until a lifecycle rule of the bucket removes them. An object that is deleted during the write reappears when it
        is closed.
        """
        writer = ObjectWriter(
            self._store,
            self._key(path),
            partial(self._operation, "write", path),
            partial(self._create_whole, path),
            partial(self._claim, path),
        )
        return pa.PythonFile(writer, mode="w")

    def sync(self, path: str) -> None:
        """Do nothing: a confirmed write is durable."""

    def sweep(self, folder: str) -> None:
        """Do nothing: there are no temporary objects. Lifecycle rules of the bucket remove aborted uploads."""

    def try_lock(self, path: str, *, shared: bool = False) -> Lock | None:
        """Return the lease of an object, or None if another holder has it; see the module `lease_lock`."""
        return try_lease(self, path, shared=shared)

    def _create_whole(self, path: str, body: bytes) -> None:
        """Create an object with unique content. An equal object is the result of an attempt whose response was lost."""
        try:
            self.create(path, body)
        except AlreadyExists:
            if self.read(path) != body:
                raise

    def _claim(self, path: str) -> None:
        """Create an empty object with a new token, which shows whether an existing object is that of this request.

        The client may repeat the request after a lost response. Raises `AlreadyExists` for any other object.
        """
        token = uuid.uuid4().hex
        key = self._key(path)
        try:
            with self._operation("create", path):
                obstore.put(self._store, key, b"", mode="create", use_multipart=False, attributes={_CLAIM: token})
        except AlreadyExists:
            with self._operation("create", path):
                stored = obstore.get(self._store, key)
            if stored.meta["size"] or stored.attributes.get(_CLAIM) != token:
                raise

    @property
    def _store(self) -> ObjectStore:
        with translate_errors("connect", "", self.uri):
            return connect(self.scheme, self.bucket, self.options)

    def _below(self, operation: str, folder: str) -> Iterator[FileInfo]:
        with self._operation(operation, folder):
            for chunk in obstore.list(self._store, self._key(folder)):
                yield from (self._info(meta) for meta in chunk)

    def _key(self, path: str) -> str:
        return join(self.prefix, check_relative(path))

    def _path(self, key: str) -> str:
        return key[len(self.prefix) + 1 :] if self.prefix else key

    def _info(self, meta: Any) -> FileInfo:
        return FileInfo.at(self._path(meta["path"]), meta["size"], meta["last_modified"])

    def _operation(self, operation: str, path: str) -> AbstractContextManager[None]:
        return translate_errors(operation, path, f"{self.uri}/{path}" if path else self.uri)


def _version(meta: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields that identify a version of an object: an ETag, a generation, or both."""
    return {key: meta[key] for key in ("e_tag", "version") if meta.get(key) is not None}
