"""A table in an object store: whatever obstore reaches and has writes that are conditional."""

from __future__ import annotations

import builtins
import uuid
from collections.abc import Iterator, Mapping
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
from hoodoo.storage.object_store.client import connected
from hoodoo.storage.object_store.lease_lock import try_lease
from hoodoo.storage.object_store.object_errors import Changed, named
from hoodoo.storage.object_store.object_files import ObjectReader, ObjectWriter
from hoodoo.storage.paths import check_relative, join

__all__ = ["ObjectStorage"]

_HOODIE = ".hoodie"
_CLAIM = "hoodoo-claim"


@frozen
class ObjectStorage:
    """Objects below one prefix of a bucket.

    The store must offer put-if-absent and compare-and-swap, and show at once what was written. An answer that gets lost
    is asked for again by the client, so that `create` may raise `AlreadyExists` for what it created itself: whoever
    wants to know reads back.

    Attributes:
        scheme: `s3`, `s3a`, `s3n`, `gs`, `az` or `memory`.
        bucket: Its name.
        prefix: The table's, without slashes at its ends; "" for the whole bucket.
        options: How the store is reached, see `StorageOptions`; what is not said comes from the environment.
    """

    scheme: str
    bucket: str
    prefix: str
    options: Mapping[str, Any] = field(factory=dict, repr=False, hash=False)

    @property
    def uri(self) -> str:
        """The table's location, with the scheme that it was given by."""
        return f"{self.scheme}://{join(self.bucket, self.prefix)}"

    def local_path(self, path: str) -> str:
        """Raises `StorageError`: objects have no local path."""
        raise StorageError(f"'{path}' has no local path: the table is at {self.uri}", code="path")

    def read(self, path: str) -> bytes:
        """The whole content. Raises `Missing` where there is no object."""
        with self._named("read", path):
            return bytes(obstore.get(self._store, self._key(path)).bytes())

    def create(self, path: str, body: bytes) -> None:
        """Put if absent. Raises `AlreadyExists`, also where an earlier try of this very call came through."""
        with self._named("create", path):
            obstore.put(self._store, self._key(path), body, mode="create", use_multipart=False)

    def replace(self, path: str, body: bytes) -> None:
        """Put in any case."""
        with self._named("replace", path):
            obstore.put(self._store, self._key(path), body, use_multipart=False)

    def versioned(self, path: str) -> tuple[bytes, dict[str, str]]:
        """The content, and what `swap` takes for it. Raises `Missing`."""
        with self._named("read", path):
            found = obstore.get(self._store, self._key(path))
            return bytes(found.bytes()), _version(found.meta)

    def swap(self, path: str, body: bytes, version: Mapping[str, str] | None) -> dict[str, str] | None:
        """Put in place of one version, or of nothing; None where there is another, maybe our own: read back."""
        mode: Any = "create" if version is None else dict(version)
        try:
            with self._named("swap", path):
                return _version(obstore.put(self._store, self._key(path), body, mode=mode, use_multipart=False))
        except (AlreadyExists, Changed, Missing):
            return None

    def delete(self, path: str) -> None:
        """Remove an object; none there is fine."""
        try:
            with self._named("delete", path):
                obstore.delete(self._store, self._key(path))
        except Missing:
            return

    def delete_tree(self, path: str) -> None:
        """Remove all below a path; none there is fine. The table's own root is refused."""
        if path == "":
            raise StorageError(f"delete_tree of the table's root {self.uri} is refused", code="path")
        paths = [info.path for info in self._below("delete_tree", path)]
        try:
            with self._named("delete_tree", path):
                if paths:
                    obstore.delete(self._store, [self._key(path) for path in paths])
        except Missing:
            # another process is removing the same; some stores stop there
            for found in paths:
                self.delete(found)

    def exists(self, path: str) -> bool:
        """Whether there is an object, or one below the path."""
        key = self._key(path)
        with self._named("exists", path):
            try:
                obstore.head(self._store, key)
            except FileNotFoundError:
                return any(obstore.list(self._store, key, chunk_size=1))
            return True

    def size(self, path: str) -> int:
        """Return the bytes of an object. Raises `Missing`."""
        with self._named("stat", path):
            size: int = obstore.head(self._store, self._key(path))["size"]
            return size

    def modified(self, path: str) -> datetime:
        """When an object was last written, by the store's clock, mostly in whole seconds. Raises `Missing`."""
        with self._named("stat", path):
            return obstore.head(self._store, self._key(path))["last_modified"]

    def list(self, folder: str) -> builtins.list[FileInfo]:
        """The objects directly below a path."""
        with self._named("list", folder):
            found = obstore.list_with_delimiter(self._store, self._key(folder) or None)
        return [self._info(meta) for meta in found["objects"]]

    def walk(self, folder: str = "") -> Iterator[FileInfo]:
        """All objects below a path, without the table's own `.hoodie` folder."""
        if folder:
            yield from self._below("walk", folder)
            return
        with self._named("walk", folder):
            found = obstore.list_with_delimiter(self._store, self.prefix or None)
        yield from (self._info(meta) for meta in found["objects"])
        for key in found["common_prefixes"]:
            path = self._path(key)
            if path != _HOODIE:
                yield from self._below("walk", path)

    def open_input(self, path: str) -> pa.NativeFile:
        """Open for random reads, by ranges. Raises `Missing`."""
        key = self._key(path)
        with self._named("open", path):
            size = obstore.head(self._store, key)["size"]
        return pa.PythonFile(ObjectReader(self._store, key, size, partial(self._named, "read", path)), mode="r")

    def open_output(self, path: str) -> pa.NativeFile:
        """Open a new object for one streaming write; it is empty until it is closed. Raises `AlreadyExists`.

        The empty object claims the name, as uploads in parts take the place of whatever there is. An upload whose
        process dies leaves parts that only a lifecycle rule of the bucket removes. An object that is deleted while it
        is being written appears when it is closed.
        """
        self._claim(path)
        return pa.PythonFile(ObjectWriter(self._store, self._key(path), partial(self._named, "write", path)), mode="w")

    def sync(self, path: str) -> None:
        """Nothing: what a store has confirmed is durable."""

    def sweep(self, folder: str) -> None:
        """Do nothing: objects appear as a whole. Parts of uploads that were broken off are the bucket's to remove."""

    def try_lock(self, path: str, *, shared: bool = False) -> Lock | None:
        """Take the lease that an object holds, see `hoodoo.storage.object_store.lease_lock`."""
        return try_lease(self, path, shared=shared)

    def _claim(self, path: str) -> None:
        """Create an empty object under a token, by which a name that our own earlier try took is known as ours."""
        token = uuid.uuid4().hex
        key = self._key(path)
        try:
            with self._named("create", path):
                obstore.put(self._store, key, b"", mode="create", use_multipart=False, attributes={_CLAIM: token})
        except AlreadyExists:
            with self._named("create", path):
                stored = obstore.get(self._store, key)
            if stored.meta["size"] or stored.attributes.get(_CLAIM) != token:
                raise

    @property
    def _store(self) -> ObjectStore:
        with named("connect", "", self.uri):
            return connected(self.scheme, self.bucket, self.options)

    def _below(self, operation: str, folder: str) -> Iterator[FileInfo]:
        with self._named(operation, folder):
            for chunk in obstore.list(self._store, self._key(folder)):
                yield from (self._info(meta) for meta in chunk)

    def _key(self, path: str) -> str:
        return join(self.prefix, check_relative(path))

    def _path(self, key: str) -> str:
        return key[len(self.prefix) + 1 :] if self.prefix else key

    def _info(self, meta: Any) -> FileInfo:
        return FileInfo.at(self._path(meta["path"]), meta["size"], meta["last_modified"])

    def _named(self, operation: str, path: str) -> AbstractContextManager[None]:
        return named(operation, path, f"{self.uri}/{path}" if path else self.uri)


def _version(meta: Mapping[str, Any]) -> dict[str, str]:
    """What tells one version of an object from another: an ETag, a generation, or both."""
    return {key: meta[key] for key in ("e_tag", "version") if meta.get(key) is not None}
