"""The lock provider `storage-based` in stores with buckets, which Hudi's writers use too."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import threading
import time
import uuid

import pyarrow as pa
import pytest

from hoodoo import Table
from hoodoo.errors import CommitConflict, LockLost, LockTimeout
from hoodoo.plugin import LockTarget, default_catalogue
from hoodoo.storage import WritePace, storage_for
from hoodoo.testing.engine import write_arrow
from hoodoo.txn import LockFound

from .proxy import proxied

pytestmark = pytest.mark.slow

FILE = ".hoodie/.locks/table_lock.json"
PROVIDER = "org.apache.hudi.client.transaction.lock.StorageBasedLockProvider"
TABLE = {"table_name": "t", "record_key": "id", "ordering": "ts"}
LOCK_FILES = (FILE, ".hoodie/.hoodoo.lock", ".hoodie/.heartbeat/")


@pytest.fixture
def target(store):
    return LockTarget(storage_for(store.new_location(), store.options), "t", "", "me")


def provider(**options):
    return default_catalogue().make("lock", PROVIDER, {"validity": 10, "renewal": 1, **options})


def hudis(valid_for=60.0, expired=False):
    """Return the content of a lock file as Hudi's storage lock client writes it; `valid_for` is in seconds."""
    until = round((time.time() + valid_for) * 1000)
    return json.dumps({"expired": expired, "validUntil": until, "owner": str(uuid.uuid4())}).encode()


def stored(target):
    return json.loads(target.storage.read(FILE))


def test_one_writer_holds_it_at_a_time(target):
    held = provider().try_acquire(target)
    assert provider().try_acquire(target) is None
    held.renew()
    held.release()
    again = provider().try_acquire(target)
    again.renew()
    again.release()


def test_threads_exclude_each_other(target):
    inside, most = [], []

    def work():
        for _ in range(3):
            while (held := provider().try_acquire(target)) is None:
                time.sleep(0.01)
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()
            held.release()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(most), max(most)) == (12, 1)


def test_a_lock_of_hudi_is_respected_until_it_expires_or_is_released(target):
    target.storage.create(FILE, hudis())
    assert provider().try_acquire(target) is None
    target.storage.replace(FILE, hudis(valid_for=-6))
    held = provider().try_acquire(target)
    target.storage.replace(FILE, hudis())
    with pytest.raises(LockLost, match="another writer took it"):
        held.renew()
    held.release()
    assert stored(target)["owner"].count("-") == 4, "the release replaced Hudi's lock"
    target.storage.replace(FILE, hudis(expired=True))
    provider().try_acquire(target).release()
    assert stored(target)["expired"] is True


def write(target, value, store, **options):
    rows = pa.table({"id": ["a"], "ts": [value], "v": [value]})
    return write_arrow(rows, target.uri, {**TABLE, **store.options, **options})


def test_a_table_with_the_lock_file_is_written_to_under_the_lock(target, store):
    write(target, 1, store, lock_provider=PROVIDER)
    assert stored(target)["expired"] is True
    target.storage.replace(FILE, hudis())
    at_once = {"lock_wait_ms": 50, "lock_client_retries": 0}
    with pytest.warns(LockFound), pytest.raises(LockTimeout, match="did not obtain"):
        write(target, 2, store, **at_once)
    target.storage.replace(FILE, hudis(expired=True))
    with pytest.warns(LockFound):
        write(target, 2, store, **at_once)
    assert Table(target.uri, store.options).to_arrow(["v"])["v"].to_pylist() == [2]


def test_writers_that_share_the_lock_lose_nothing(target, store):
    write(target, 0, store, lock_provider=PROVIDER)
    problems = []

    def work(who):
        for n in range(3):
            rows = pa.table({"id": [f"{who}-{n}"], "ts": [1], "v": [n]})
            while True:
                try:
                    write_arrow(rows, target.uri, {**TABLE, **store.options, "lock_provider": PROVIDER})
                except CommitConflict:
                    continue
                except Exception as error:  # noqa: BLE001 - shown by the test's own thread
                    problems.append(repr(error))
                break

    threads = [threading.Thread(target=work, args=(who,)) for who in ("x", "y")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    found = Table(target.uri, store.options).to_arrow(["id"])["id"].to_pylist()
    assert sorted(found) == ["a", *(f"{who}-{n}" for who in "xy" for n in range(3))]


@pytest.fixture
def limited(store, monkeypatch):
    """Yield a table in a store that refuses a second write of a lock file within an interval: path, options, proxy."""
    interval = 0.2
    client = pytest.importorskip("hoodoo.storage.object_store.client")
    monkeypatch.setitem(client.PACES, store.scheme, WritePace(interval))
    with proxied(store.address) as (address, proxy):
        last, counting = {}, threading.Lock()

        def choose(method, path, number):
            if method not in ("PUT", "DELETE") or not any(name in path for name in LOCK_FILES):
                return ""
            with counting:
                if time.monotonic() - last.get(path, 0) < interval:
                    return "429"
                last[path] = time.monotonic()
                return ""

        proxy.restart(choose)
        yield store.new_location(), store.options_at(address), proxy


@pytest.mark.parametrize("locked", [{}, pytest.param({"lock_provider": PROVIDER}, marks=pytest.mark.nightly)])
def test_one_writer_keeps_the_pace_of_a_store(limited, locked):
    path, options, proxy = limited
    for value in range(2):
        rows = pa.table({"id": ["a"], "ts": [value], "v": [value]})
        write_arrow(rows, path, {**TABLE, **options, **locked})
    assert Table(path, options).to_arrow(["v"])["v"].to_pylist() == [1]
    assert proxy.hit == []


@pytest.mark.nightly
def test_writers_of_other_processes_lose_nothing_in_a_store_with_a_pace(limited):
    path, options, proxy = limited
    write_arrow(pa.table({"id": ["a"], "ts": [0], "v": [0]}), path, {**TABLE, **options})
    script = textwrap.dedent("""
        import json, sys, pyarrow as pa, hoodoo
        from hoodoo.errors import CommitConflict
        from hoodoo.storage import WritePace
        from hoodoo.storage.object_store.client import PACES
        path, options, who = json.loads(sys.argv[1])
        PACES[path.partition(":")[0]] = WritePace(0.2)
        for n in range(2):
            while True:
                try:
                    hoodoo.write(pa.table({"id": [f"{who}-{n}"], "ts": [1], "v": [n]}), path, options)
                    break
                except CommitConflict:
                    continue
    """)
    writers = [
        subprocess.Popen([sys.executable, "-c", script, json.dumps([path, {**TABLE, **options}, who])]) for who in "xyz"
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0]
    found = Table(path, options).to_arrow(["id"])["id"].to_pylist()
    assert sorted(found) == ["a", *(f"{who}-{n}" for who in "xyz" for n in range(2))]
    assert len(proxy.hit) < 20
