"""Liveness of writers: hoodoo's by a lock, Hudi's by the time of their last heartbeat."""

from __future__ import annotations

import os
import threading
from datetime import timedelta

import pytest

from hoodoo.timeline import Instant, State, Timeline, utc_now
from hoodoo.txn import Coordination, HeartbeatPace, begin, rollback_pending
from hoodoo.txn.heartbeat import is_alive, start_heartbeat, sweep_heartbeats

PACE = HeartbeatPace()
TIME = "20260101000000000"
BEAT = f".hoodie/.heartbeat/{TIME}"


def foreign(storage, *, beat, state="inflight"):
    """Create the pending instant of a Hudi writer and, if `beat`, the writer's heartbeat, which is an empty file."""
    storage.create(f".hoodie/{TIME}.deltacommit.requested", b"")
    if state == "inflight":
        storage.create(f".hoodie/{TIME}.deltacommit.inflight", b"{}")
    if beat:
        storage.create(BEAT, b"")


def age(storage, seconds, *paths):
    """Set the modification time of files to some seconds ago."""
    for path in paths:
        when = utc_now().timestamp() - seconds
        os.utime(storage.local_path(path), (when, when))


def instants(storage):
    return {f".hoodie/{TIME}.deltacommit.requested", f".hoodie/{TIME}.deltacommit.inflight"} & {
        info.path for info in storage.list(".hoodie")
    }


@pytest.mark.parametrize(("seconds", "rolled_back"), [(0, ()), (100, ()), (121, (TIME,))])
@pytest.mark.parametrize("beat", [True, False])
@pytest.mark.parametrize("state", ["requested", "inflight"])
def test_a_hudi_writer_is_left_alone_until_its_last_sign_is_old(storage, seconds, rolled_back, beat, state):
    foreign(storage, beat=beat, state=state)
    # with a heartbeat only that counts
    age(storage, 9999 if beat else seconds, *instants(storage))
    if beat:
        age(storage, seconds, BEAT)
    assert rollback_pending(storage) == rolled_back
    assert storage.exists(BEAT) == (beat and not rolled_back)


def test_max_age_is_the_interval_times_the_misses(storage):
    foreign(storage, beat=True)
    age(storage, 100, BEAT)
    assert rollback_pending(storage, coordination=Coordination(pace=HeartbeatPace(30, 4))) == ()
    assert rollback_pending(storage, coordination=Coordination(pace=HeartbeatPace(30, 3))) == (TIME,)


def test_a_live_writer_renews_what_hudi_looks_at(storage):
    renewed = threading.Event()

    class Watched:
        def __init__(self, lock):
            self.lock = lock

        def renew(self):
            self.lock.renew()
            renewed.set()

        def release(self, *, delete=False):
            self.lock.release(delete=delete)

    class Watching(type(storage)):
        def try_lock(self, path, *, shared=False):
            lock = super().try_lock(path, shared=shared)
            return lock and Watched(lock)

    heartbeat = start_heartbeat(Watching(storage.root), TIME, HeartbeatPace(0.001))
    age(storage, 1000, BEAT)
    renewed.clear()
    assert renewed.wait(10)
    renewed.clear()
    assert renewed.wait(10)
    assert utc_now() - storage.modified(BEAT) < timedelta(seconds=100)
    heartbeat.release(delete=True)
    assert not storage.exists(BEAT)


def test_a_heartbeat_that_cannot_be_renewed_is_tried_again(storage, caplog):
    tried = threading.Semaphore(0)

    class Failing:
        def renew(self):
            tried.release()
            raise OSError("no space")

        def release(self, *, delete=False):
            pass

    class Store(type(storage)):
        def try_lock(self, path, *, shared=False):
            return Failing()

    heartbeat = start_heartbeat(Store(storage.root), TIME, HeartbeatPace(0.001))
    for _ in range(3):
        assert tried.acquire(timeout=10)
    heartbeat.release()
    assert "could not be renewed: no space" in caplog.text


def test_our_writers_are_told_by_their_lock_at_once(storage):
    transaction = begin(storage, Timeline.load(storage))
    path = f".hoodie/.heartbeat/{transaction.time}"
    age(storage, 9999, path)
    inflight = transaction.instant.at(State.INFLIGHT)
    assert is_alive(storage, transaction.timeline, inflight, PACE, utc_now())
    transaction._heartbeat.release()
    assert not is_alive(storage, transaction.timeline, inflight, PACE, utc_now())


def test_the_first_heartbeat_is_the_begin_of_the_writer(storage):
    """The first heartbeat renews an earlier writer's file; Hudi would roll the instant back because of an old file."""
    start_heartbeat(storage, TIME, PACE).release()
    age(storage, 1000, BEAT)
    heartbeat = start_heartbeat(storage, TIME, PACE)
    assert utc_now() - storage.modified(BEAT) < timedelta(seconds=100)
    heartbeat.release()


def test_one_writer_per_instant(storage):
    heartbeat = start_heartbeat(storage, TIME, PACE)
    assert start_heartbeat(storage, TIME, PACE) is None
    heartbeat.release()
    start_heartbeat(storage, TIME, PACE).release()


def test_heartbeats_of_dead_writers_are_swept_and_no_others(storage):
    dead, alive, hudis, pending = (f"2026010100000000{n}" for n in range(4))
    start_heartbeat(storage, dead, PACE).release()
    living = start_heartbeat(storage, alive, PACE)
    storage.create(f".hoodie/.heartbeat/{hudis}", b"")
    start_heartbeat(storage, pending, PACE).release()
    assert sweep_heartbeats(storage, {pending}) == [dead]
    left = {info.path.rpartition("/")[2] for info in storage.list(".hoodie/.heartbeat")}
    assert left == {alive, hudis, pending}
    living.release()


def test_an_instant_that_vanished_is_not_alive(storage):
    assert not is_alive(storage, Timeline.load(storage), Instant(TIME, "commit", State.INFLIGHT), PACE, utc_now())
