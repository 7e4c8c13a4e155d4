"""A lock in ZooKeeper, with the recipe of Apache Curator's InterProcessMutex, which Hudi's writers use."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import attrs
from attrs import define, field

from hoodoo.errors import LockLost, OptionError, StorageError
from hoodoo.plugin import LockTarget, hookimpl, option

if TYPE_CHECKING:
    from kazoo.client import KazooClient

__version__ = "0.1.0"

_KEY = "hoodie.write.lock.zookeeper."
_PORT = 2181
_IMPLICIT_BASE = "/tmp/"  # noqa: S108 - a path in ZooKeeper, and Hudi's
_IMPLICIT_KEY = "lock_key"
_SEED = 0xFFFFFFFFDABADABA
"""Seed of Hudi's hash of a table path: a negative Java int, as an unsigned long."""
_CONTENDER = re.compile(r"-lock-(-?\d{10})$")


def _positive(instance: Any, attribute: attrs.Attribute[Any], value: int) -> None:
    if value < 1:
        raise ValueError(f"{attribute.name} is {value} and must be at least 1")


@define(eq=False)
class ZooKeeperLock:
    """Provider ZookeeperBasedLockProvider of Hudi, or ZookeeperBasedImplicitBasePathLockProvider with `implicit`.

    A writer that requests the lock creates an ephemeral sequential node under the path of the lock; the first node in
    the sequence has the lock. Nodes have Curator's names, so that hoodoo and Hudi writers are in one queue. The node of
    a writer that dies is deleted with its session, after `session_timeout_ms`.
    """

    presets = {"ZookeeperBasedImplicitBasePathLockProvider": {"implicit": True}}  # noqa: RUF012 - read only

    url: str = option(key=_KEY + "url", help="Servers, as `host:port` separated by commas.")
    port: int | None = option(
        default=None,
        key=_KEY + "port",
        help="Port. Hudi ignores this key and uses 2181 for servers without a port in `url`, so only 2181 is accepted.",
    )
    base_path: str | None = option(
        default=None, key=_KEY + "base_path", help="Parent node of the locks; required without `implicit`."
    )
    lock_key: str | None = option(
        default=None, key=_KEY + "lock_key", help="Node of the lock, below `base_path`; by default the table's name."
    )
    session_timeout_ms: int = option(
        default=60_000,
        key=_KEY + "session_timeout_ms",
        help="Milliseconds after which the lock of a writer that died is free.",
        validator=_positive,
    )
    connection_timeout_ms: int = option(
        default=15_000,
        key=_KEY + "connection_timeout_ms",
        help="Milliseconds to wait for a connection.",
        validator=_positive,
    )
    num_retries: int = option(
        default=15,
        key="hoodie.write.lock.num_retries",
        help="Number of times that a call is repeated after the connection was lost.",
    )
    implicit: bool = option(
        default=False, help="Derive the lock's path from the table's path, as Hudi's implicit variant does."
    )
    table_path: str | None = option(
        default=None,
        key="hoodie.base.path",
        help="With `implicit`, the path of the table in Hudi's writers; by default the path or URI of the table.",
    )
    _client: Any = field(default=None, init=False)
    _name: str = field(factory=lambda: f"_c_{uuid.uuid4()}-lock-", init=False)

    def __attrs_post_init__(self) -> None:
        hosts = self.url.partition("/")[0].split(",")
        if not all(host.strip() for host in hosts):
            raise ValueError(
                f"url ({_KEY}url) is {self.url!r}; it must be host:port, separated by commas for several servers"
            )
        if self.port not in (None, _PORT) and not all(re.search(r":\d+$", host) for host in hosts):
            raise ValueError(
                f"port ({_KEY}port) is {self.port}, and Hudi's writers use {_PORT} for a server without a port in "
                f"{_KEY}url; write host:{self.port} there, for all writers"
            )
        if not self.implicit and not self.base_path:
            raise ValueError(
                f"base_path ({_KEY}base_path) is missing; set it to the value of the other writers of the table"
            )

    def check(self, target: LockTarget) -> None:
        """Raise `OptionError` if neither an option nor the table provides a name for the lock."""
        if not self.implicit and not (self.lock_key or target.table):
            raise OptionError(
                f"the table '{target.uri}' has no name, which is the default name of its lock; set {_KEY}lock_key"
            )

    def try_acquire(self, target: LockTarget) -> _Held | None:
        """Enter the queue, and acquire the lock if this writer's node is the first; else return None.

        The node remains in the queue until the lock is released, or until `close`.
        """
        path = self._path(target)
        with self._named(path):
            client = self._connected()
            mine = self._queued(client, path, target.owner)
            if _queue(client, path)[:1] != [mine]:
                return None
            return _Held(self, client, path, mine)

    def describe(self, target: LockTarget) -> str:
        """Return a description of the lock's path in ZooKeeper and, if known, the data of the holder's node."""
        path = self._path(target)
        place = f"{path} in ZooKeeper at {self.url}"
        from kazoo.exceptions import KazooException

        try:
            client = self._connected()
            queue = _queue(client, path)
            holder = client.get(f"{path}/{queue[0]}")[0].decode(errors="replace") if queue else ""
        except (KazooException, StorageError, client_timeout()) as error:
            return f"{place}, whose holder is unknown ({str(error) or type(error).__name__})"
        return f"{place}, held by {holder or 'no writer'}"

    def close(self) -> None:
        """End the session, which removes the node from the queue."""
        if self._client is not None:
            client, self._client = self._client, None
            client.stop()
            client.close()

    def _path(self, target: LockTarget) -> str:
        if self.implicit:
            base, key = _IMPLICIT_BASE + _hashed(self.table_path or target.hudi_path), _IMPLICIT_KEY
        else:
            base, key = self.base_path or "", self.lock_key or target.table
        return "/" + "/".join(part for part in f"{base}/{key}".split("/") if part)

    def _connected(self) -> KazooClient:
        if self._client is None:
            from kazoo.client import KazooClient
            from kazoo.retry import KazooRetry

            retry = KazooRetry(max_tries=self.num_retries, delay=0.1, max_delay=5)
            client = KazooClient(self.url, timeout=self.session_timeout_ms / 1000, command_retry=retry)
            try:
                client.start(timeout=self.connection_timeout_ms / 1000)
            except client_timeout() as error:
                client.stop()
                client.close()
                raise StorageError(
                    f"ZooKeeper at {self.url} ({_KEY}url) did not answer within {self.connection_timeout_ms} ms; "
                    "check the address and the servers"
                ) from error
            self._client = client
        return self._client

    def _queued(self, client: KazooClient, path: str, owner: str) -> str:
        """Return the name of this writer's node; create the node if the session has none."""
        client.retry(client.ensure_path, path)

        def create() -> str:
            # the answer to an earlier attempt may have been lost
            for name in client.get_children(path):
                # the server deletes the node of an expired session
                if name.startswith(self._name) and _owner(client, f"{path}/{name}") == client.client_id[0]:
                    return str(name)
            stated = f"application_id={owner}".encode()
            made: str = client.create(f"{path}/{self._name}", stated, ephemeral=True, sequence=True)
            return made.rpartition("/")[2]

        name: str = client.retry(create)
        return name

    @contextmanager
    def _named(self, path: str) -> Iterator[None]:
        from kazoo.exceptions import KazooException

        try:
            yield
        except (KazooException, client_timeout()) as error:
            reason = str(error) or type(error).__name__
            raise StorageError(f"lock '{path}' in ZooKeeper at {self.url} cannot be accessed: {reason}") from error


@define(eq=False)
class _Held:
    provider: ZooKeeperLock
    client: KazooClient
    path: str
    node: str

    def renew(self) -> None:
        """Look up this writer's node on the servers. Raises `LockLost` if it is deleted, as at the end of a session."""
        with self.provider._named(self.path):
            # a server that is not up to date may still have a deleted node
            self.client.retry(self.client.sync, self.path)
            there = self.client.retry(self.client.exists, f"{self.path}/{self.node}")
        if there is None:
            raise LockLost(
                f"the lock {self.path} in ZooKeeper at {self.provider.url} ended: its session expired (this process "
                "was stopped for too long, or could not reach ZooKeeper), or its node was deleted"
            )

    def release(self) -> None:
        """Delete this writer's node. A second call has no effect."""
        from kazoo.exceptions import ConnectionClosedError, NoNodeError

        with self.provider._named(self.path):
            try:
                self.client.retry(self.client.delete, f"{self.path}/{self.node}")
            except (NoNodeError, ConnectionClosedError):
                return


def client_timeout() -> type[Exception]:
    """Return the class of kazoo's error for a timeout."""
    from kazoo.handlers.threading import KazooTimeoutError

    timeout: type[Exception] = KazooTimeoutError
    return timeout


def _queue(client: KazooClient, path: str) -> list[str]:
    """Return the nodes of the holder and of the waiting writers, in Curator's order: the holder's node is the first."""
    found = [(match[1], name) for name in client.retry(client.get_children, path) if (match := _CONTENDER.search(name))]
    return [name for _, name in sorted(found)]


def _owner(client: KazooClient, node: str) -> int | None:
    """Return the id of the session that created a node, or None if the node is deleted."""
    found = client.exists(node)
    return None if found is None else int(found.ephemeralOwner)


def _hashed(table_path: str) -> str:
    import xxhash

    path = re.sub(r"^s3a://", "s3://", table_path, flags=re.IGNORECASE)
    return xxhash.xxh64(path.encode(), seed=_SEED).hexdigest().upper()


@hookimpl
def hoodoo_lock() -> type[ZooKeeperLock]:
    """Return the class of the lock provider."""
    return ZooKeeperLock
