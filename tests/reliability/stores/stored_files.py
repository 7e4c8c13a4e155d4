"""Tables in a store, for tests that otherwise use tables in memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, Protocol

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

_MOST_EXPIRED = 20
"""Number of times that locks of one table may expire because all processes wait; more is a deadlock."""

_numbers = itertools.count()


class KeptLock(Protocol):
    """A lock that a process holds in a store."""

    def die(self) -> None:
        """End the renewals, as the end of the process does; the lock ends at once or when it expires."""
        ...

    def expire(self) -> None:
        """Free the lock, if it is still held."""
        ...

    def renew(self) -> None:
        """Renew the lock, if it is still held, as its process does at intervals."""
        ...


@frozen
class Store:
    """A store for tests.

    Attributes:
        name: The name of the kind of store.
        root: The location of a folder without files.
        options: The options with which hoodoo opens the store.
        is_shared: Whether processes run at the same time. The locks of a process are freed when it ends then; otherwise
            the clock moves until they have expired, and the process counts as dead.
        clock: The clock of the processes.
    """

    name: str
    root: str
    options: Mapping[str, Any] = field(factory=dict, repr=False, hash=False)
    is_shared: bool = False
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
        store: The store that contains the table.
        stored: The storage of the table.
        kept: The locks that actors have acquired, as pairs of actor and lock.
        expired: The number of times that locks expired because all processes waited.
    """

    store: Store
    stored: Storage
    kept: list[tuple[Actor | None, KeptLock]] = field(factory=list)
    expired: int = 0

    @property
    def uri(self) -> str:
        return self.stored.uri

    @property
    def storage(self) -> Storage:
        return self.stored

    def copy(self) -> StoredFiles:
        """Return the same files in another folder."""
        return SavedTable(self.store, snapshot(self)).copy()

    def keep(self, actor: Actor | None, lock: KeptLock) -> None:
        """Remember a lock of an actor."""
        self.kept.append((actor, lock))

    def lose_lock(self, path: str, actor: Actor) -> None:
        """Do nothing: the lock expires."""

    def lose_power(self) -> None:
        """Do nothing: a confirmed write is durable."""

    def pass_time(self, time: timedelta) -> None:
        """Move the clock, while live processes renew their locks."""
        self.store.clock.jump(time)
        with acting_as(None):
            for _, lock in self.kept:
                lock.renew()

    def expire_locks(self) -> bool:
        """Let abandoned locks expire; return False if that has happened too often, which is a deadlock."""
        self.expired += 1
        self.pass_time(_SILENCE)
        return self.expired <= _MOST_EXPIRED

    def free_locks(self, actor: Actor | None) -> None:
        """End an actor and its locks, see `Store.is_shared`."""
        mine = [lock for holder, lock in self.kept if holder is actor]
        self.kept = [entry for entry in self.kept if entry[0] is not actor]
        with acting_as(None):
            for lock in mine:
                if self.store.is_shared:
                    lock.expire()
                else:
                    lock.die()
        if not self.store.is_shared:
            self.pass_time(_SILENCE)


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
    """Return the contents of the files of a table by path."""
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
