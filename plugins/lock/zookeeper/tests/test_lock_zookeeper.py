"""The lock provider `zookeeper`: nodes of Curator's recipe. `tox -e locks` starts the server."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hoodoo_lock_zookeeper import ZooKeeperLock
from kazoo.client import KazooClient

from hoodoo.errors import LockLost, OptionError, StorageError
from hoodoo.plugin import LockTarget, default_catalogue
from hoodoo.storage import storage_for
from hoodoo.testing import LockSuite

KEY = "hoodie.write.lock.zookeeper."


@pytest.fixture
def options() -> dict[str, Any]:
    url = os.environ.get("HOODOO_ZOOKEEPER")
    if not url:
        pytest.skip("no ZooKeeper: HOODOO_ZOOKEEPER names a server, `tox -e locks` starts one")
    return {
        f"{KEY}url": url,
        f"{KEY}base_path": f"/hudi/{uuid.uuid4().hex}",
        f"{KEY}session_timeout_ms": "2000",
        f"{KEY}connection_timeout_ms": "10000",
    }


@pytest.fixture
def client(options: dict[str, Any]) -> Iterator[KazooClient]:
    connected = KazooClient(options[f"{KEY}url"])
    connected.start()
    yield connected
    connected.stop()
    connected.close()


class TestZooKeeper(LockSuite):
    plugin = "zookeeper"
    # the session, and ticks of the server
    freed_within = 10.0

    @pytest.fixture(autouse=True)
    def _server(self, options: dict[str, Any]) -> None:
        type(self).options = options

    def take_away(self, target: LockTarget) -> None:
        """Delete the nodes of the lock, as the server does at the end of a session."""
        connected = KazooClient(self.options[f"{KEY}url"])
        connected.start()
        path = f"{self.options[f'{KEY}base_path']}/{target.table}"
        for node in connected.get_children(path):
            connected.delete(f"{path}/{node}")
        connected.stop()
        connected.close()


def target(owner: str = "me", table: str = "trips", uri: str = "/data/trips") -> LockTarget:
    return LockTarget(storage_for(uri), table, "", owner)


def made(options: dict[str, Any], name: str = "ZookeeperBasedLockProvider") -> ZooKeeperLock:
    lock: ZooKeeperLock = default_catalogue().load("lock", name).make(options)
    return lock


def curator(client: KazooClient, path: str) -> str:
    """Create a node as Curator's InterProcessMutex does, with Hudi's data, and return its path."""
    client.ensure_path(path)
    name = f"{path}/_c_{uuid.uuid4()}-lock-"
    return str(client.create(name, b"application_id=local-1700000000000", ephemeral=True, sequence=True))


def test_the_node_is_named_as_curators_and_goes_with_the_lock(options: dict[str, Any], client: KazooClient) -> None:
    lock = made(options)
    held = lock.try_acquire(target())
    assert held is not None
    path = f"{options[f'{KEY}base_path']}/trips"
    [node] = client.get_children(path)
    data, stat = client.get(f"{path}/{node}")
    held.release()

    assert node[:3] == "_c_"
    assert uuid.UUID(node[3:39]).version == 4
    assert node[39:45] == "-lock-"
    assert len(node[45:]) == 10
    assert (data, stat.ephemeralOwner != 0) == (b"application_id=me", True)
    assert client.get_children(path) == []
    lock.close()


def test_a_node_of_curator_is_a_lock_that_is_held_and_writers_queue_in_order(
    options: dict[str, Any], client: Any
) -> None:
    path = f"{options[f'{KEY}base_path']}/trips"
    first = curator(client, path)
    lock = made(options)
    assert lock.try_acquire(target()) is None
    assert lock.describe(target()).endswith("held by application_id=local-1700000000000")
    curator(client, path)
    client.delete(first)
    held = lock.try_acquire(target())

    assert held is not None, "it came before the second node"
    held.renew()
    held.release()
    assert lock.try_acquire(target()) is None
    lock.close()
    assert len(client.get_children(path)) == 1, "closing gives the place in the queue up"


def test_a_session_that_expired_has_lost_the_lock(options: dict[str, Any]) -> None:
    lock = made(options)
    held = lock.try_acquire(target())
    assert held is not None
    # a client that closes the session from elsewhere ends it at the server
    other = KazooClient(options[f"{KEY}url"], client_id=lock._client.client_id)
    other.start()
    other.stop()
    other.close()
    with pytest.raises(LockLost, match="ended: its session expired"):
        held.renew()
    held.release()
    again = lock.try_acquire(target())
    assert again is not None
    again.renew()
    again.release()
    lock.close()


def test_the_implicit_path_is_hudis(options: dict[str, Any], client: KazooClient) -> None:
    """The path contains the hash that Hudi 1.2.0 makes: HashID.generateXXHashAsString(path, BITS_64)."""
    given = {**options, "hoodie.base.path": "s3a://bucket/table", "implicit": True}
    lock = made(given)
    held = lock.try_acquire(target())
    assert held is not None
    assert len(client.get_children("/tmp/4DCF035CB614089C/lock_key")) == 1
    held.release()
    lock.close()


def test_the_lock_key_is_the_tables_name_unless_it_is_given(tmp_path: Path) -> None:
    given = {f"{KEY}url": "h:1", f"{KEY}base_path": "/hudi/"}

    assert made(given)._path(target()) == "/hudi/trips"
    assert made({**given, f"{KEY}lock_key": "key"})._path(target()) == "/hudi/key"
    implicit = {f"{KEY}url": "h:1", "implicit": True}
    assert made(implicit)._path(target(uri="/tmp/t")) == "/tmp/FB88BAF128102D93/lock_key"
    with pytest.raises(OptionError, match=r"set hoodie\.write\.lock\.zookeeper\.lock_key"):
        made(given).check(target(table=""))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({f"{KEY}base_path": "/hudi"}, "needs option 'url'"),
        ({f"{KEY}url": "h:1"}, "base_path .* is missing"),
        ({f"{KEY}url": "h:1,,i:2", f"{KEY}base_path": "/hudi"}, "must be host:port"),
        ({f"{KEY}url": "h", f"{KEY}port": "2182", f"{KEY}base_path": "/hudi"}, "use 2181 .*write host:2182 there"),
        ({f"{KEY}url": "h:1", f"{KEY}base_path": "/hudi", f"{KEY}session_timeout_ms": "0"}, "must be at least 1"),
    ],
)
def test_wrong_options_are_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        made(given)


def test_a_port_that_hudi_takes_anyway_is_let_through() -> None:
    made({f"{KEY}url": "h", f"{KEY}port": "2181", f"{KEY}base_path": "/hudi"})
    made({f"{KEY}url": "h:2182,i:2182/chroot", f"{KEY}port": "2182", f"{KEY}base_path": "/hudi"})


def test_a_server_that_does_not_answer_is_named() -> None:
    lock = made({f"{KEY}url": "127.0.0.1:9", f"{KEY}base_path": "/hudi", f"{KEY}connection_timeout_ms": "300"})
    with pytest.raises(StorageError, match=r"ZooKeeper at 127\.0\.0\.1:9 .* did not answer within 300 ms"):
        lock.try_acquire(target())
    assert "whose holder is unknown" in lock.describe(target())
