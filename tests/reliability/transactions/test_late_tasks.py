"""A task that still runs while its commit is rolled back, and then dies.

It creates its file before each call of the rollback in turn, and checks its marker before the same or a later call.
Nothing of the task may become visible.
"""

from __future__ import annotations

import pytest

from hoodoo.errors import CommitError
from hoodoo.format.file_names import BaseFileName, LogFileName
from hoodoo.format.log import BlockType, HeaderKey
from hoodoo.format.log.block_writer import encode_block
from hoodoo.txn import Coordination, begin, check_marker, create_marker, rollback

from .scenarios import delta_commit, with_log
from .table import GROUPS, Clock, load, slices, visible
from .test_transaction_calls import archive_all_but_one, check_no_file_is_left

pytestmark = pytest.mark.slow

LIMIT = 60
LONGEST = 3


class Interleaved:
    """Storage of a table in which other work runs before its n-th calls."""

    def __init__(self, inner, events):
        self.inner = inner
        self.calls = 0
        self._events = events

    @property
    def uri(self):
        return self.inner.uri

    def __getattr__(self, name):
        method = getattr(self.inner, name)

        def call(*args, **kwargs):
            self.calls += 1
            if self.calls in self._events:
                self._events.pop(self.calls)()
            return method(*args, **kwargs)

        return call


def announced(storage, layout, kind, instant, known):
    """Return path and content of the file that the task is about to open."""
    if kind == "CREATE":
        return f"c/{BaseFileName('group-c-0', '0-0-0', instant)}", b"late"
    base, version = (known.base_instant, len(known.logs) + 1) if layout == 1 else (instant, 1)
    name = LogFileName(GROUPS["a"], base, version, "0-0-0", is_cdc=False)
    header = {HeaderKey.INSTANT_TIME: instant, HeaderKey.SCHEMA: "{}"}
    return f"a/{name}", encode_block(BlockType.AVRO_DATA, header, b"late")


@pytest.mark.parametrize("layout", [1, 2])
@pytest.mark.parametrize("kind", ["CREATE", "APPEND"])
@pytest.mark.parametrize("later", range(LONGEST))
def test_a_task_that_dies_during_the_rollback_leaves_nothing_that_shows(layout, kind, later):
    prepared = with_log(layout)
    before = visible(prepared, layout)
    for number in range(1, LIMIT):
        storage = prepared.copy()
        clock = Clock(storage, 5000)
        timeline = load(storage, layout)
        transaction = begin(storage, timeline, "deltacommit", coordination=Coordination(clock))
        path, body = announced(storage, layout, kind, transaction.time, slices(storage, timeline)["a"])
        create_marker(storage, transaction.time, path, kind)
        found_out = []

        def opens(storage=storage, path=path, body=body):
            storage.create(path, body)

        def looks(storage=storage, time=transaction.time, path=path, found_out=found_out):
            try:
                check_marker(storage, time, path, kind)
            except CommitError:
                found_out.append(True)

        def opens_and_looks(opens=opens, looks=looks):
            opens()
            looks()

        events = {number: opens, number + later: looks} if later else {number: opens_and_looks}
        way = Interleaved(storage, events)
        rollback(way, transaction.time, timeline, coordination=Coordination(clock))
        transaction._heartbeat.release()
        for event in events.values():
            # the rollback ended before this call
            event()
        where = f"call {number}"
        assert visible(storage, layout) == before, where
        check_no_file_is_left(storage, layout, where)
        delta_commit(storage, layout, clock, "more")
        found = visible(storage, layout)
        assert "late" not in str(found), where
        archive_all_but_one(storage, layout)
        assert visible(storage, layout) == found, where
        if number > way.calls:
            assert found_out == [True]
            assert number > LONGEST
            return
    pytest.fail(f"the rollback makes more than {LIMIT} calls")
