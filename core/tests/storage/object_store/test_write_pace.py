"""Locks in a store that refuses an object's second write within an interval, as Google Cloud Storage does."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from attrs import define, field

from hoodoo.storage import Missing, Throttled, WritePace, try_lease
from hoodoo.storage.base import Lock
from hoodoo.storage.object_store import write_pace
from hoodoo.storage.object_store.lease_lock import LeaseTerm, _body
from hoodoo.storage.object_store.write_pace import PacedWrites
from hoodoo.txn.heartbeat import HeartbeatPace, start_heartbeat
from hoodoo.txn.locking.table_lock import LOCK_FILE, table_lock

INTERVAL = 0.1


@define(eq=False)
class Bucket:
    """Objects of which each accepts one write or deletion per interval, and answers others with 429."""

    objects: dict[str, tuple[bytes, int]] = field(factory=dict)
    times: dict[str, list[float]] = field(factory=dict)
    refused: int = 0
    name: str = field(factory=lambda: uuid.uuid4().hex)
    mutex: threading.Lock = field(factory=threading.Lock)

    def write(self, path: str) -> None:
        times = self.times.setdefault(path, [])
        if times and time.monotonic() - times[-1] < INTERVAL:
            self.refused += 1
            raise Throttled(f"write '{path}': the store returned 429 Too Many Requests")
        times.append(time.monotonic())


@define(eq=False)
class Store:
    """Client of a bucket. Clients with different URIs share no memory, like the clients of two processes."""

    uri: str
    bucket: Bucket
    write_pace: WritePace = WritePace(INTERVAL)

    def versioned(self, path: str) -> tuple[bytes, dict[str, str]]:
        with self.bucket.mutex:
            if path not in self.bucket.objects:
                raise Missing(path)
            body, version = self.bucket.objects[path]
            return body, {"version": str(version)}

    def read(self, path: str) -> bytes:
        return self.versioned(path)[0]

    def swap(self, path: str, body: bytes, version: Mapping[str, str] | None) -> dict[str, str] | None:
        with self.bucket.mutex:
            stored = self.bucket.objects.get(path)
            if (None if stored is None else {"version": str(stored[1])}) != version:
                return None
            self.bucket.write(path)
            number = 1 + (0 if stored is None else stored[1])
            self.bucket.objects[path] = (body, number)
            return {"version": str(number)}

    def delete(self, path: str) -> None:
        with self.bucket.mutex:
            self.bucket.write(path)
            self.bucket.objects.pop(path, None)

    def try_lock(self, path: str, *, shared: bool = False) -> Lock | None:
        return try_lease(self, path, shared=shared)


@pytest.fixture
def bucket() -> Bucket:
    return Bucket()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list that gets the seconds of each wait for the next write of an object when the wait begins.

    The waits take place. Their lengths, unlike the time that a test takes, do not depend on the load of the machine.
    """
    seconds: list[float] = []

    def sleep(length: float) -> None:
        seconds.append(length)
        time.sleep(length)

    monkeypatch.setattr(write_pace, "time", SimpleNamespace(monotonic=time.monotonic, sleep=sleep))
    return seconds


def store(bucket: Bucket, process: str = "a") -> Store:
    return Store(f"{process}-{bucket.name}", bucket)


def test_the_writes_of_one_process_are_an_interval_apart(bucket: Bucket) -> None:
    one = store(bucket)
    lock = try_lease(one, "lock", term=LeaseTerm(30, 0.1))
    assert lock is not None
    lock.renew()
    lock.release()
    again = try_lease(one, "lock", term=LeaseTerm(30, 0.1))
    assert again is not None
    again.release(delete=True)
    times = bucket.times["lock"]
    assert len(times) >= 6
    assert bucket.refused == 0
    assert "lock" not in bucket.objects


def test_a_lock_is_created_at_once_after_its_file_is_old(bucket: Bucket, waits: list[float]) -> None:
    one = store(bucket)
    bucket.objects["lock"] = (_body("dead", LeaseTerm(-60, 10)), 1)
    lock = try_lease(one, "lock")
    assert waits == []
    assert lock is not None
    lock.release()


def test_another_process_waits_after_a_release(bucket: Bucket) -> None:
    lock = try_lease(store(bucket), "lock")
    assert lock is not None
    assert try_lease(store(bucket, "b"), "lock") is None
    lock.release()
    other = try_lease(store(bucket, "b"), "lock")
    assert other is not None
    other.release()
    assert bucket.refused == 0


def test_a_refused_write_does_not_end_the_attempt_of_a_writer(bucket: Bucket) -> None:
    """If another writer has just written the lock's file, the lock is not taken, and nothing is raised."""
    bucket.objects["lock"] = (_body("dead", LeaseTerm(-60, 10)), 1)
    bucket.times["lock"] = [time.monotonic()]
    assert try_lease(store(bucket), "lock") is None
    assert bucket.refused == 1
    time.sleep(INTERVAL)
    lock = try_lease(store(bucket), "lock")
    assert lock is not None
    lock.release()


def test_threads_of_one_process_that_try_a_free_lock_do_not_wait_for_each_other(
    bucket: Bucket, waits: list[float]
) -> None:
    """One thread takes the lock. The others do not delay its release by an interval each.

    A thread that read the file before the lock was taken may wait for it afterwards, 1.25 intervals with the random
    part; the release then waits an interval more.
    """
    one = store(bucket)
    first = try_lease(one, "lock")
    assert first is not None
    first.release()
    barrier = threading.Barrier(16)

    def attempt(_: int) -> Lock | None:
        barrier.wait()
        return try_lease(one, "lock")

    with ThreadPoolExecutor(16) as pool:
        [held] = [lock for lock in pool.map(attempt, range(16)) if lock is not None]
    held.release()
    assert max(waits, default=0) <= 2.25 * INTERVAL
    assert bucket.refused == 0


@pytest.mark.slow
def test_many_processes_take_the_table_lock_in_turn_without_a_storm_of_retries(bucket: Bucket) -> None:
    inside: list[str] = []
    most: list[int] = []

    def work(process: str) -> None:
        with table_lock(store(bucket, process)) as lock:  # type: ignore[arg-type]  # the part of a storage that locks need
            inside.append(process)
            most.append(len(inside))
            lock.renew()
            inside.pop()

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1, 1, 1, 1]
    # take, renew and release of each process
    assert len(bucket.times[LOCK_FILE]) == 12
    # the first attempts of all processes are at the same time; later ones may collide by chance
    assert bucket.refused <= 4


def test_a_heartbeat_keeps_the_pace(bucket: Bucket) -> None:
    heartbeat = start_heartbeat(store(bucket), "1", HeartbeatPace(interval=0.05))  # type: ignore[arg-type]  # as above
    assert heartbeat is not None
    deadline = time.monotonic() + 30
    while sum(map(len, bucket.times.values())) < 3 and time.monotonic() < deadline:
        time.sleep(INTERVAL / 2)
    heartbeat.release(delete=True)
    [times] = bucket.times.values()
    assert len(times) >= 4
    assert bucket.refused == 0
    assert not bucket.objects


def test_the_begin_of_a_heartbeat_is_one_write(bucket: Bucket, waits: list[float]) -> None:
    heartbeat = start_heartbeat(store(bucket), "1", HeartbeatPace())  # type: ignore[arg-type]  # as above
    assert waits == []
    [times] = bucket.times.values()
    assert len(times) == 1
    assert heartbeat is not None
    heartbeat.release()


def test_stores_without_a_limit_do_not_wait() -> None:
    writes = PacedWrites()
    for _ in range(3):
        assert not writes.wait(("uri", "lock"), WritePace())
        writes.written(("uri", "lock"), WritePace(), None)


def test_threads_that_wait_for_one_object_are_an_interval_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(write_pace, "time", SimpleNamespace(monotonic=lambda: 100.0, sleep=waits.append))
    writes, pace = PacedWrites(), WritePace(0.05)
    threads = [threading.Thread(target=writes.wait, args=(("uri", "lock"), pace)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(waits) == pytest.approx([0.05, 0.10, 0.15])
