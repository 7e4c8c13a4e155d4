"""Tables in a store, in place of those in memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from attrs import define, field, frozen

from hoodoo.options import storage_options
from hoodoo.storage import Missing, Storage
from tests.reliability.actors import Actor, acting_as
from tests.reliability.store import Files

from .later import LaterClock

__all__ = ["SavedTable", "Store", "StoredFiles", "snapshot"]

_AT_ONCE = 8
_SILENCE = timedelta(minutes=90)
"""Time after the work of an actor. Its process counts as dead then, its locks have expired, and its temporary files are
old enough to be removed."""

_numbers = itertools.count()


@frozen
class Store:
    """A store for tests.

    Attributes:
        name: The name of the kind of store.
        root: The location of a folder without files.
        options: The options of access.
        clock: The clock of the processes that use it.
    """

    name: str
    root: str
    options: Mapping[str, Any] = field(factory=dict, repr=False, hash=False)
    clock: LaterClock = field(factory=LaterClock, eq=False)

    def new_table(self) -> StoredFiles:
        """Return a new table without files."""
        return self.table({})

    def table(self, bodies: Mapping[str, bytes]) -> StoredFiles:
        """Return a new table with some files by path."""
        uri = f"{self.root}/table-{next(_numbers)}/t"
        storage = self._storage(uri)
        files = StoredFiles(StoredBodies(storage), clock=self.clock.now, store=self, stored=storage)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for _ in pool.map(files.put, bodies.keys(), bodies.values()):
                pass
        return files

    def _storage(self, uri: str) -> Storage:
        scheme, _, place = uri.partition("://")
        bucket, _, folder = place.partition("/")
        if scheme == "hdfs":
            from .observed_hdfs import ObservedHdfs

            return ObservedHdfs(bucket, f"/{folder}")
        from .observed_objects import ObservedObjects

        return ObservedObjects(scheme, bucket, folder, storage_options(self.options))


@define(eq=False, slots=False, kw_only=True)
class StoredFiles(Files):
    """The files of one table in a store.

    Attributes:
        store: The store.
        stored: The storage of the table.
        kept: Functions that end the locks of each actor without a call, as the store does once the actor is dead.
    """

    store: Store
    stored: Storage
    kept: list[tuple[Actor | None, Callable[[], object]]] = field(factory=list)

    @property
    def uri(self) -> str:
        return self.stored.uri

    @property
    def storage(self) -> Storage:
        return self.stored

    def copy(self) -> StoredFiles:
        """Return the same files in another folder."""
        return SavedTable(self.store, snapshot(self)).copy()

    def keep(self, actor: Actor | None, end: Callable[[], object]) -> None:
        """Remember how a lock of an actor ends."""
        self.kept.append((actor, end))

    def lose_lock(self, path: str, actor: Actor) -> None:
        """Do nothing: the lock expires."""

    def lose_power(self) -> None:
        """Do nothing: a confirmed write is durable."""

    def expire_locks(self) -> bool:
        """Let the time pass after which locks expire; return whether there were any."""
        self.store.clock.jump(_SILENCE)
        return bool(self.kept)

    def free_locks(self, actor: Actor | None) -> None:
        """End the locks of an actor, and let the time pass after which it counts as dead."""
        mine = [entry for entry in self.kept if entry[0] is actor]
        self.kept = [entry for entry in self.kept if entry[0] is not actor]
        for _, end in mine:
            end()
        self.store.clock.jump(_SILENCE)


@define(eq=False)
class StoredBodies(MutableMapping[str, bytes]):
    """Files of a storage by path. Its calls belong to no actor."""

    storage: Storage

    def __getitem__(self, path: str) -> bytes:
        with acting_as(None):
            try:
                return self.storage.read(path)
            except Missing:
                raise KeyError(path) from None

    def __setitem__(self, path: str, body: bytes) -> None:
        with acting_as(None):
            self.storage.replace(path, body)

    def __delitem__(self, path: str) -> None:
        with acting_as(None):
            self.storage.delete(path)

    def __contains__(self, path: object) -> bool:
        with acting_as(None):
            return self.storage.exists(str(path))

    def __iter__(self) -> Iterator[str]:
        with acting_as(None):
            paths = [info.path for folder in ("", ".hoodie") for info in self.storage.walk(folder)]
        return iter(paths)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def snapshot(files: Files) -> dict[str, bytes]:
    """Return the files of a table by path."""
    paths = list(files.bodies)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return dict(zip(paths, pool.map(files.bodies.__getitem__, paths), strict=True))


@frozen
class SavedTable:
    """Files of a table that are kept in memory, to be written to a store again and again."""

    store: Store
    bodies: Mapping[str, bytes] = field(repr=False)

    def copy(self) -> StoredFiles:
        """Return these files in a new table."""
        return self.store.table(self.bodies)
