"""Every call to the store fails once: before and after it took effect, alone and with all that follow."""

from __future__ import annotations

import pytest

from hoodoo.errors import CommitStateUnknown, HoodooError
from hoodoo.format import BaseFileName
from hoodoo.storage import LocalStorage, name_of
from hoodoo.timeline import Timeline
from hoodoo.txn import begin, rollback_pending

OLD = [(1, "old"), (2, "old"), (3, "old")]
NEW = [(1, "new"), (2, "new"), (3, "new")]
LAST = [(1, "last"), (2, "last"), (3, "last")]
LIMIT = 400

modes = pytest.mark.parametrize(
    ("after", "dead"), [(False, False), (True, False), (False, True), (True, True)], ids=lambda flag: str(flag)
)


def next_write_succeeds(storage, table):
    rollback_pending(storage)
    assert Timeline.load(storage).pending == ()
    table.write(storage, "last")
    assert table.rows(storage) == LAST
    completed = {instant.time for instant in Timeline.load(storage).commits}
    left = {BaseFileName.parse(name_of(info.path)) for info in storage.walk() if info.path.endswith(".parquet")}
    assert {name.instant for name in left} <= completed


@modes
def test_a_write(tmp_path, table, after, dead):
    for number in range(1, LIMIT):
        storage = LocalStorage(str(tmp_path / str(number)))
        table.create(storage)
        table.write(storage, "old")
        faulty = table.faulty(storage, number, after=after, dead=dead)
        try:
            table.write(faulty, "new")
        except CommitStateUnknown:
            assert table.rows(storage) in (OLD, NEW), f"call {number}"
        except HoodooError:
            assert table.rows(storage) == OLD, f"call {number}"
        else:
            assert table.rows(storage) == NEW, f"call {number}"
        faulty.die()
        next_write_succeeds(storage, table)
        if not faulty.hit:
            assert number > 20
            return
    pytest.fail(f"the write makes more than {LIMIT} calls")


@modes
def test_a_rollback(tmp_path, table, after, dead):
    for number in range(1, LIMIT):
        storage = LocalStorage(str(tmp_path / str(number)))
        table.create(storage)
        table.write(storage, "old")
        transaction = begin(storage, Timeline.load(storage))
        stat = table.write_file(storage, transaction.time, "a", [1], "half")
        transaction._heartbeat.release()
        faulty = table.faulty(storage, number, after=after, dead=dead)
        try:
            rollback_pending(faulty)
        except HoodooError:
            assert faulty.hit
        faulty.die()
        assert table.rows(storage) == OLD, f"call {number}"
        next_write_succeeds(storage, table)
        assert not storage.exists(stat.path), f"call {number}"
        if not faulty.hit:
            assert number > 15
            return
    pytest.fail(f"the rollback makes more than {LIMIT} calls")
