"""The lock of a provider: acquired with hoodoo's own, waited for, verified, and acquired again if it was lost."""

from __future__ import annotations

import logging
import re
import threading
import time
from pathlib import Path

import pytest
from attrs import define, field

import hoodoo
from hoodoo.errors import CommitConflict, LockLost, LockTimeout, OptionError, PluginFault
from hoodoo.filegroup import file_slices
from hoodoo.options import ArchiveOptions, CleanOptions
from hoodoo.plugin import LockTarget
from hoodoo.service import archive, clean
from hoodoo.storage import LocalStorage
from hoodoo.txn import (
    Coordination,
    LockWait,
    ProviderLock,
    begin,
    complete,
    drop_metadata_table,
    inflight,
    rollback,
    rollback_pending,
    schedule,
    start,
    table_lock,
)

SOON = LockWait(round=0.05, pause=0.01, longest_pause=0.02, rounds=2, between=0.01)


@define(eq=False)
class Book:
    """A provider that is also its lock. It records its calls, and whether hoodoo's own lock was held during them."""

    storage: LocalStorage
    free: bool = True
    on_renew: list = field(factory=list)
    calls: list = field(factory=list)

    def _note(self, call):
        own = self.storage.try_lock(".hoodie/.hoodoo.lock")
        if own is not None:
            own.release()
        self.calls.append(call if own is None else f"{call} without the own lock")

    def try_acquire(self, target):
        self._note("taken" if self.free else "asked")
        return self if self.free else None

    def renew(self):
        self._note("renewed")
        if self.on_renew:
            self.on_renew.pop(0)()

    def release(self):
        self._note("released")

    def close(self):
        self._note("closed")

    def describe(self, target):
        return f"page 7 of the book of {target.table}, held by Ada"


class Hudis(LocalStorage):
    """Storage of a writer that does not take hoodoo's own lock."""

    def try_lock(self, path, *, shared=False):
        return super().try_lock(f"{path}.of.hudi", shared=shared)


@pytest.fixture
def book(storage):
    return Book(storage)


def coordination(book, wait=SOON):
    target = LockTarget(book.storage, "trips", "", "me")
    return Coordination(lock=ProviderLock("lock provider 'book' (books 1.0)", book, target, wait))


def lost():
    raise LockLost("the page was torn out")


SECTION = ["taken", "released", "closed"]
VERIFIED = ["taken", "renewed", "released", "closed"]


def test_both_locks_are_held_in_every_section_of_a_write(storage, table, book):
    with begin(storage, table.load(storage), coordination=coordination(book)) as transaction:
        assert book.calls == SECTION
        book.calls.clear()
        transaction.commit(table.metadata(table.write_file(storage, transaction.time, "a", [1], "x")))
    assert book.calls == VERIFIED
    assert table.rows(storage) == [(1, "x")]


def a_pending_write(storage, table):
    transaction = begin(storage, table.load(storage))
    transaction._heartbeat.release()
    return transaction


def sections(storage, table, book):
    """Return the operations that take the table's lock, by name, each with the calls of the provider that it makes."""
    with_book = coordination(book)
    timeline = table.load(storage)
    pending = a_pending_write(storage, table)
    compaction = schedule(storage, timeline, "compaction", lambda now, time: b"plan")
    cleaning = schedule(storage, timeline, "clean", lambda now, time: b"plan")
    inflight(storage, timeline, cleaning)
    return {
        "begin": (SECTION, lambda: begin(storage, timeline, coordination=with_book)._heartbeat.release()),
        "rollback": (SECTION, lambda: rollback(storage, pending.time, timeline, coordination=with_book)),
        "rollback_pending": (SECTION, lambda: rollback_pending(storage, timeline, coordination=with_book)),
        "schedule": (SECTION, lambda: schedule(storage, timeline, "clean", lambda now, time: b"x", with_book)),
        "start": (SECTION, lambda: start(storage, timeline, compaction, with_book)._heartbeat.release()),
        "complete": (VERIFIED, lambda: complete(storage, timeline, cleaning, b"done", with_book)),
        "drop_metadata_table": (SECTION, lambda: drop_metadata_table(storage, with_book)),
    }


NAMES = ["begin", "rollback", "rollback_pending", "schedule", "start", "complete", "drop_metadata_table"]


@pytest.mark.parametrize("name", NAMES)
def test_every_section_holds_both_locks(storage, table, book, name):
    expected, call = sections(storage, table, book)[name]
    call()
    assert book.calls == expected


@pytest.mark.parametrize("name", NAMES)
def test_no_section_does_anything_without_the_providers_lock(storage, table, book, name):
    _, call = sections(storage, table, book)[name]
    book.free = False
    before = table.load(storage).instants
    with pytest.raises(LockTimeout, match=r"lock provider 'book' \(books 1.0\) did not obtain .* held by Ada"):
        call()
    assert table.load(storage).instants == before
    assert book.calls[-1] == "closed"
    with table_lock(storage, timeout=0):
        pass


def test_services_hold_it(storage, table, book):
    for value in "abcd":
        table.write(storage, value)
    book.calls.clear()
    assert clean(storage, CleanOptions(commits_retained=1), coordination=coordination(book)) is not None
    assert book.calls == SECTION + VERIFIED
    book.calls.clear()
    options = ArchiveOptions(keep_min_commits=1, keep_max_commits=2)
    assert archive(storage, options, CleanOptions(commits_retained=1), coordination=coordination(book))
    assert book.calls == VERIFIED


def test_it_is_waited_for_in_rounds_and_the_last_message_says_how_long(storage, book, caplog):
    book.free = False
    started = time.monotonic()
    with (
        caplog.at_level(logging.WARNING),
        pytest.raises(LockTimeout) as caught,
        table_lock(storage, coordination(book)),
    ):
        pytest.fail("the lock is not free")
    assert time.monotonic() - started >= SOON.total
    assert book.calls.count("asked") >= 6
    assert "page 7 of the book of trips, held by Ada" in str(caught.value)
    assert storage.uri in str(caught.value)
    assert caplog.text.count("still waiting") == 1
    assert caught.value.code == "lock_timeout"


def test_a_lock_that_becomes_free_is_taken(storage, book):
    book.free = False
    threading.Timer(0.1, lambda: setattr(book, "free", True)).start()
    with table_lock(storage, coordination(book, LockWait(round=10, pause=0.01, longest_pause=0.05))):
        assert book.calls[-1] == "taken"


def test_a_hoodoo_writer_waits_for_another_one_as_long_as_for_the_provider(storage, book):
    """A writer that waits for the provider's lock holds hoodoo's lock; others must wait at least as long as it does."""
    entered = threading.Event()

    def hold():
        with table_lock(storage):
            entered.set()
            time.sleep(0.3)

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait()
    with table_lock(storage, coordination(book, LockWait(round=10)), timeout=0.05):
        pass
    holder.join()


def test_a_commit_whose_lock_was_lost_takes_it_again(storage, table, book, caplog):
    book.on_renew = [lost, lost]
    with begin(storage, table.load(storage), coordination=coordination(book)) as transaction:
        stat = table.write_file(storage, transaction.time, "a", [1], "x")
        book.calls.clear()
        transaction.commit(table.metadata(stat))
    assert book.calls == VERIFIED * 3
    assert table.rows(storage) == [(1, "x")]
    assert caplog.text.count("takes the lock again: the page was torn out") == 2


def test_what_was_committed_while_the_lock_was_lost_is_a_conflict(storage, table, book):
    table.write(storage, "before")
    timeline = table.load(storage)

    def overtaken():
        table.write(Hudis(storage.root), "theirs")
        lost()

    book.on_renew = [overtaken]
    with begin(storage, timeline, coordination=coordination(book)) as transaction:
        slices = {s.partition: s for s in file_slices(storage, timeline)}
        stat = table.write_file(storage, transaction.time, "a", [1, 2], "mine", previous=slices["a"])
        with pytest.raises(CommitConflict):
            transaction.commit(table.metadata(stat))
    assert {value for _, value in table.rows(storage)} == {"theirs"}


def test_a_lock_that_is_lost_every_time_ends_the_write_and_leaves_nothing(storage, table, book):
    table.write(storage, "before")
    book.on_renew = [lost] * 9
    with (
        pytest.raises(LockLost, match="torn out"),
        begin(storage, table.load(storage), coordination=coordination(book)) as transaction,
    ):
        transaction.commit(table.metadata(table.write_file(storage, transaction.time, "c", [9], "x")))
    assert len(book.on_renew) == 6
    assert table.load(storage).pending == ()
    assert {value for _, value in table.rows(storage)} == {"before"}


@pytest.mark.parametrize("method", ["try_acquire", "renew", "describe"])
def test_a_provider_that_breaks_is_named(storage, table, book, monkeypatch, method):
    def breaks(self, *arguments):
        raise ZeroDivisionError("pages")

    monkeypatch.setattr(Book, method, breaks)
    book.free = method != "describe"
    with (
        pytest.raises(PluginFault, match=r"'book' \(books 1.0\) raised ZeroDivisionError: pages"),
        table_lock(storage, coordination(book)) as lock,
    ):
        lock.renew()


def test_an_error_of_hoodoo_passes(storage, book, monkeypatch):
    def refuses(self, target):
        raise OptionError("no such book")

    monkeypatch.setattr(Book, "try_acquire", refuses)
    with pytest.raises(OptionError, match="no such book"), table_lock(storage, coordination(book)):
        pytest.fail("no lock")


@pytest.mark.parametrize("method", ["release", "close"])
def test_a_lock_that_cannot_be_released_does_not_undo_a_commit(storage, table, book, monkeypatch, caplog, method):
    def breaks(self):
        raise OSError("the shelf is out of reach")

    with begin(storage, table.load(storage), coordination=coordination(book)) as transaction:
        stat = table.write_file(storage, transaction.time, "a", [1], "x")
        monkeypatch.setattr(Book, method, breaks)
        transaction.commit(table.metadata(stat))
    assert table.rows(storage) == [(1, "x")]
    assert "could not be" in caplog.text
    assert "out of reach" in caplog.text


def test_writers_without_a_provider_renew_what_they_renewed_before(storage, table, monkeypatch):
    """`verify` does nothing without a provider; only `renew` renews hoodoo's own lock."""
    renewed = []
    with table_lock(storage) as lock:
        monkeypatch.setattr(type(lock.own), "renew", lambda self: renewed.append(1))
        lock.verify()
        assert renewed == []
        lock.renew()
        assert renewed == [1]


def test_the_core_takes_the_lock_nowhere_without_the_writers_coordination():
    """Without the coordination, a writer of Hudi could enter a section at the same time."""
    calls = [
        call
        for path in Path(hoodoo.__file__).parent.rglob("*.py")
        for call in re.findall(r"with table_lock\(([^)]*)\)", path.read_text(encoding="utf-8"))
    ]
    assert len(calls) >= 9
    assert [call for call in calls if "coordination" not in call] == []
