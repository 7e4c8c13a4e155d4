"""Features of object stores only: leases that end, and reads of ranges."""

from __future__ import annotations

import json
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.errors import LockLost, StorageError
from hoodoo.storage import storage_for

obstore = pytest.importorskip("obstore")
lease = pytest.importorskip("hoodoo.storage.object_store.lease_lock")

TERM = lease.LeaseTerm()


@pytest.fixture
def storage():
    return storage_for(f"memory://{uuid.uuid4().hex}/t")


@pytest.fixture
def later(monkeypatch):
    """Return a function that sets the clock of the leases to some seconds after the start of the test."""
    now = lease._now()

    def move(seconds):
        monkeypatch.setattr(lease, "_now", lambda: now + seconds)

    return move


def test_a_lease_that_is_not_renewed_ends_and_its_holder_finds_out(storage, later):
    first = storage.try_lock("lock")
    later(TERM.validity + 1)  # within what clocks may differ
    assert storage.try_lock("lock") is None
    later(TERM.validity + 10)
    second = storage.try_lock("lock")
    assert second is not None
    with pytest.raises(StorageError, match="another writer took it"):
        first.renew()
    first.release(delete=True)
    assert storage.exists("lock")
    second.renew()
    second.release()


def test_a_lease_whose_loss_was_noticed_between_renewals_stays_lost(storage, later, monkeypatch):
    """The thread that renews the lease notices its loss first; `renew` must raise after that."""
    first = lease.try_lease(storage, "lock", term=lease.LeaseTerm(validity=30, interval=0.05))
    monkeypatch.setattr(lease, "_now", lambda: 1e10)
    second = storage.try_lock("lock")
    assert first._ended.wait(5)
    for _ in range(2):
        with pytest.raises(LockLost, match="another writer took it"):
            first.renew()
    first.release()
    second.renew()
    second.release()


def test_a_released_lease_is_not_renewed_and_not_lost(storage):
    lock = storage.try_lock("lock")
    lock.release()
    lock.renew()
    assert json.loads(storage.read("lock"))["expired"] is True


def test_the_term_and_the_owner_are_the_requested_ones(storage, later):
    lock = lease.try_lease(storage, "lock", term=lease.LeaseTerm(300, 30), owner="me")
    until = json.loads(storage.read("lock"))["validUntil"] / 1000
    assert abs(until - lease._now() - 300) < 2
    assert lease.lease_holder(storage, "lock").startswith("me ")
    later(299)
    assert storage.try_lock("lock") is None
    lock.release()
    assert lease.lease_holder(storage, "lock") is None
    assert lease.lease_holder(storage, "nothing") is None


def test_a_renewed_lease_goes_on(storage, later):
    lock = storage.try_lock("lock")
    later(TERM.validity - 1)
    lock.renew()
    later(2 * TERM.validity - 2)
    assert storage.try_lock("lock") is None
    lock.release()


def test_a_lease_that_was_deleted_is_lost(storage):
    lock = storage.try_lock("lock")
    storage.delete("lock")
    with pytest.raises(StorageError, match="another writer"):
        lock.renew()


def test_other_content_is_rejected_and_an_empty_file_is_free(storage):
    storage.create("lock", b"somebody's")
    with pytest.raises(StorageError, match="remove it"):
        storage.try_lock("lock")
    storage.create("empty", b"")
    lock = storage.try_lock("empty")
    assert lock is not None
    lock.release()


def test_a_lease_is_a_lock_of_hudis_form(storage):
    storage.try_lock("lock").release()
    body = json.loads(storage.read("lock"))
    assert body["expired"] is True
    assert isinstance(body["validUntil"], int)
    assert isinstance(body["owner"], str)


@pytest.mark.slow
def test_a_footer_and_one_column_are_read_without_the_rest(storage, monkeypatch):
    count = 400_000
    table = pa.table({"a": pa.array(range(count)), "b": [uuid.uuid4().hex for _ in range(count)]})
    with storage.open_output("f") as sink:
        pq.write_table(table, sink, compression="none", use_dictionary=False)
    [info] = storage.list("")
    fetched = []
    get, get_range = obstore.get, obstore.get_range

    def counted(store, key, *, options):
        found = get(store, key, options=options)
        fetched.append(found.range[1] - found.range[0])
        return found

    def counted_range(store, key, *, start, end):
        fetched.append(end - start)
        return get_range(store, key, start=start, end=end)

    monkeypatch.setattr(obstore, "get", counted)
    monkeypatch.setattr(obstore, "get_range", counted_range)
    with storage.open_input("f") as source:
        file = pq.ParquetFile(source)
        assert len(fetched) == 1
        assert sum(fetched) < info.size / 10
        assert file.read(["a"]).column("a").to_pylist()[-1] == count - 1
    assert sum(fetched) < info.size / 2


def test_opening_an_empty_object_succeeds(storage):
    storage.create("f", b"")

    with storage.open_input("f") as source:
        assert source.size() == 0
        assert source.read() == b""


def test_no_local_path(storage):
    with pytest.raises(StorageError, match=storage.uri):
        storage.local_path("x")
