"""Writes that keep the table lock until their commit."""

from __future__ import annotations

import logging
import uuid
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from hoodoo.errors import CommitConflict, CommitError, StorageError
from hoodoo.filegroup import file_slices
from hoodoo.properties import load_properties, update_properties
from hoodoo.storage import LocalStorage, storage_for
from hoodoo.timeline import Timeline
from hoodoo.txn import Coordination, LockWait, begin, markers, rollback_pending
from hoodoo.txn import held_write as module
from hoodoo.txn import transaction as transactions
from hoodoo.txn.heartbeat import HeartbeatPace
from hoodoo.txn.held_write import held_write
from hoodoo.txn.locking import table_lock as locking

lease = pytest.importorskip("hoodoo.storage.object_store.lease_lock")

SOON = Coordination(pace=HeartbeatPace(0.001, 1))
"""The coordination of a writer for whom others are dead after a millisecond."""


@pytest.fixture
def remote(table, monkeypatch):
    """Return a store in memory with a table, whose writes keep the lock for up to 600 s, even on a slow machine."""
    monkeypatch.setattr(module, "LONGEST_HOLD", 600)
    storage = storage_for(f"memory://{uuid.uuid4().hex}/t")
    table.create(storage)
    return storage


@pytest.fixture
def at_once(monkeypatch):
    """Let writers wait for the table lock for a moment only."""
    acquire = locking._acquire_own
    monkeypatch.setattr(locking, "_acquire_own", lambda storage, timeout: acquire(storage, 0.05))


def begun(storage, **more):
    return begin(storage, Timeline.load(storage), coordination=Coordination(keeps_lock=True), **more)


def files(storage, folder):
    return {info.path for info in storage.walk(folder)}


def test_a_commit_needs_neither_heartbeat_nor_sentinel(remote, table, at_once):
    with begun(remote) as transaction:
        assert held_write(remote, transaction.time) is not None
        stat = table.write_file(remote, transaction.time, "a", [1], "one")
        assert files(remote, ".hoodie/.heartbeat") == set()
        assert files(remote, ".hoodie/.temp") == {
            f".hoodie/.temp/{transaction.time}/{stat.path}.marker.CREATE",
        }
        with pytest.raises(CommitError, match="held the lock"):
            begin(remote, Timeline.load(remote))
        transaction.commit(table.metadata(stat))
    assert held_write(remote, transaction.time) is None
    assert files(remote, ".hoodie/.temp") == set()
    assert table.rows(remote) == [(1, "one")]
    table.write(remote, "two")


class Provider:
    """A lock provider whose lock is always free."""

    wait = LockWait()

    @contextmanager
    def held(self):
        yield SimpleNamespace(renew=lambda: None)


@pytest.mark.parametrize("reason", ["other tasks", "local", "provider"])
def test_other_writes_release_the_lock(remote, tmp_path, reason, table):
    storage, lock = remote, Provider() if reason == "provider" else None
    if reason == "local":
        storage = LocalStorage(str(tmp_path / "t"))
        table.create(storage)
    coordination = Coordination(lock=lock, keeps_lock=reason != "other tasks")
    with begin(storage, Timeline.load(storage), coordination=coordination) as transaction:
        assert held_write(storage, transaction.time) is None
        assert files(storage, ".hoodie/.heartbeat")
        rollback_pending(storage)


def test_a_write_that_takes_long_continues_with_heartbeat_and_markers(remote, table, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_HOLD", 0.01)
    with begun(remote) as transaction:
        first = table.write_file(remote, transaction.time, "a", [1], "one")
        held = transaction._held
        while held_write(remote, transaction.time) is not None:
            pass
        held.publish()
        assert files(remote, ".hoodie/.heartbeat") == {f".hoodie/.heartbeat/{transaction.time}"}
        # the lock is free, and the writer is alive
        assert rollback_pending(remote, coordination=SOON) == ()
        second = table.write_file(remote, transaction.time, "b", [2], "one")
        stray = table.write_file(remote, transaction.time, "c", [3], "one")
        transaction.commit(table.metadata(first, second))
    assert not remote.exists(stray.path)
    assert table.rows(remote) == [(1, "one"), (2, "one")]
    assert files(remote, ".hoodie/.heartbeat") | files(remote, ".hoodie/.temp") == set()


def test_a_commit_after_the_publication_finds_conflicts(remote, table):
    table.write(remote, "one")
    with begun(remote) as transaction:
        timeline = transaction.take_current_timeline()
        [one] = [s for s in file_slices(remote, timeline) if s.partition == "a"]
        mine = table.write_file(remote, transaction.time, "a", [1], "mine", previous=one)
        transaction._held.publish()
        table.write(remote, "theirs")
        with pytest.raises(CommitConflict, match="changed file group"):
            transaction.commit(table.metadata(mine))
    assert table.rows(remote) == [(1, "theirs"), (2, "theirs"), (3, "theirs")]
    assert not remote.exists(mine.path)


def test_a_failed_write_removes_its_files_under_the_lock(remote, table):
    table.write(remote, "one")
    transaction = begun(remote)
    stat = table.write_file(remote, transaction.time, "a", [1], "never")
    transaction.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    assert not remote.exists(stat.path)
    assert Timeline.load(remote).pending == ()
    assert files(remote, ".hoodie/.temp") == set()
    table.write(remote, "two")
    assert table.rows(remote) == [(1, "two"), (2, "two"), (3, "two")]


def test_files_without_a_write_stat_are_deleted_with_their_markers(remote, table):
    with begun(remote) as transaction:
        kept = table.write_file(remote, transaction.time, "a", [1], "one")
        stray = table.write_file(remote, transaction.time, "a", [1], "again")
        assert transaction.reconcile([kept]) == [stray.path]
        transaction.commit(table.metadata(kept))
    assert not remote.exists(stray.path)
    assert table.rows(remote) == [(1, "one")]


def pass_time(monkeypatch):
    """Let the leases of suspended and dead processes end."""
    later = lease._now() + 60
    monkeypatch.setattr(lease, "_now", lambda: later)


def suspended(remote, transaction, monkeypatch):
    """Let the lease of a write end, as if its process had been suspended."""
    transaction._held.lock.own._ended.set()
    pass_time(monkeypatch)
    transaction._held.lock.own._ended.clear()


def test_a_writer_that_was_suspended_and_is_still_pending_commits(remote, table, monkeypatch, caplog):
    with begun(remote) as transaction:
        stat = table.write_file(remote, transaction.time, "a", [1], "one")
        suspended(remote, transaction, monkeypatch)
        # an instant without a heartbeat counts as alive for two minutes
        table.write(remote, "two")
        with caplog.at_level(logging.WARNING):
            transaction.commit(table.metadata(stat))
    assert "takes the lock again" in caplog.text
    assert (1, "one") in table.rows(remote)


def test_a_writer_that_was_suspended_and_rolled_back_leaves_no_file(remote, table, monkeypatch):
    transaction = begun(remote)
    first = table.write_file(remote, transaction.time, "a", [1], "never")
    suspended(remote, transaction, monkeypatch)
    assert rollback_pending(remote, coordination=SOON) == (transaction.time,)
    assert not remote.exists(first.path)
    late = table.write_file(remote, transaction.time, "a", [1], "never")
    with pytest.raises(CommitError, match="rolled back") as caught:
        transaction.commit(table.metadata(late))
    transaction.__exit__(CommitError, caught.value, None)
    assert not remote.exists(late.path)
    assert files(remote, ".hoodie/.temp") == set()
    assert Timeline.load(remote).pending == ()


def test_the_files_of_a_writer_that_died_are_found_in_the_folders(remote, table, monkeypatch):
    transaction = begun(remote)
    stat = table.write_file(remote, transaction.time, "a", [1], "never")
    pass_time(monkeypatch)
    table.write(remote, "one")
    assert remote.exists(stat.path)
    assert rollback_pending(remote, coordination=SOON) == (transaction.time,)
    assert not remote.exists(stat.path)
    assert table.rows(remote) == [(1, "one"), (2, "one"), (3, "one")]
    transaction._held.end()


def test_the_next_write_removes_markers_of_a_committed_write(remote, table, monkeypatch):
    def failing(*given):
        raise StorageError("the store fails")

    with monkeypatch.context() as patch:
        patch.setattr(transactions, "forget_markers", failing)
        with begun(remote) as transaction:
            transaction.commit(table.metadata(table.write_file(remote, transaction.time, "a", [1], "one")))
    assert files(remote, ".hoodie/.temp")
    with begun(remote, repairs=True) as transaction:
        assert files(remote, ".hoodie/.temp") == set()


def test_a_publication_that_fails_keeps_the_lock(remote, table, monkeypatch, caplog, at_once):
    def failing(*given):
        raise StorageError("the store fails")

    with begun(remote) as transaction:
        stat = table.write_file(remote, transaction.time, "a", [1], "one")
        with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
            patch.setattr(module, "start_heartbeat", failing)
            transaction._held.publish()
        assert "keeps the lock" in caplog.text
        with pytest.raises(CommitError, match="held the lock"):
            rollback_pending(remote)
        transaction.commit(table.metadata(stat))
    assert table.rows(remote) == [(1, "one")]


@contextmanager
def on_executor(monkeypatch):
    """Let markers be created as in another process."""
    with monkeypatch.context() as patch:
        patch.setattr(markers, "held_write", lambda *given: None)
        yield


def test_a_writer_that_was_suspended_and_rolled_back_is_not_published(remote, table, monkeypatch, caplog):
    """If the write were published, its tasks could announce files that no rollback finds."""
    transaction = begun(remote)
    first = table.write_file(remote, transaction.time, "a", [1], "never")
    suspended(remote, transaction, monkeypatch)
    assert rollback_pending(remote, coordination=SOON) == (transaction.time,)
    with caplog.at_level(logging.WARNING):
        transaction._held.publish()
    assert "is not published" in caplog.text
    assert files(remote, ".hoodie/.heartbeat") | files(remote, ".hoodie/.temp") == set()
    with on_executor(monkeypatch), pytest.raises(CommitError, match="may not be written"):
        table.write_file(remote, transaction.time, "b", [2], "never")
    late = table.write_file(remote, transaction.time, "a", [1], "never")
    with pytest.raises(CommitError, match="rolled back") as caught:
        transaction.commit(table.metadata(late))
    transaction.__exit__(CommitError, caught.value, None)
    assert not any(remote.exists(stat.path) for stat in (first, late))
    assert files(remote, ".hoodie/.heartbeat") | files(remote, ".hoodie/.temp") == set()


@pytest.mark.parametrize("ends", ["commit", "rollback", "rolled back by another"])
def test_a_publication_of_which_only_the_markers_remain(remote, table, monkeypatch, ends):
    """Files that executors announced after the failure are deleted when the write ends, unless it commits them."""

    def failing(*given):
        raise StorageError("the store fails")

    transaction = begun(remote)
    kept = table.write_file(remote, transaction.time, "a", [1], "one")
    held = transaction._held
    opening, held._open_markers, held._close_markers = held._open_markers, lambda: (opening(), failing()), failing
    held.publish()
    assert (held.opened, held.heartbeat) == (True, None)
    with on_executor(monkeypatch):
        stray = table.write_file(remote, transaction.time, "b", [2], "never")
    if ends == "commit":
        transaction.commit(table.metadata(kept))
        assert table.rows(remote) == [(1, "one")]
    elif ends == "rollback":
        transaction.rollback()
    else:
        suspended(remote, transaction, monkeypatch)
        assert rollback_pending(remote, coordination=SOON) == (transaction.time,)
        opening()
        with on_executor(monkeypatch):
            stray = table.write_file(remote, transaction.time, "b", [2], "never")
        transaction.rollback()
    assert remote.exists(kept.path) == (ends == "commit")
    assert not remote.exists(stray.path)
    assert files(remote, ".hoodie/.heartbeat") | files(remote, ".hoodie/.temp") == set()


def test_any_error_of_a_publication_is_logged_and_repeated(remote, table, monkeypatch, caplog):
    def failing(*given):
        raise RuntimeError("can't start new thread")

    with begun(remote) as transaction:
        stat = table.write_file(remote, transaction.time, "a", [1], "one")
        with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
            patch.setattr(module, "start_heartbeat", failing)
            transaction._held.publish()
        assert "can't start new thread" in caplog.text
        transaction._held.publish()
        assert transaction._held.heartbeat is not None
        transaction.commit(table.metadata(stat))
    assert table.rows(remote) == [(1, "one")]


def test_an_upgrade_before_the_begin_is_a_conflict(remote, table):
    planned = load_properties(remote)
    timeline = Timeline.load(remote)
    update_properties(remote, {"hoodie.table.version": "9", "hoodie.timeline.layout.version": "2"})
    with pytest.raises(CommitConflict, match="changed table version 6 to 9"):
        begin(remote, timeline, properties=planned, coordination=Coordination(keeps_lock=True))
    assert Timeline.load(remote).pending == ()
