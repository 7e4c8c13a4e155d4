"""Random histories of operations, services, failures and clocks on tables of every kind, against a dictionary.

After each step a new reader returns the rows of the dictionary, and older readers return the rows of their time.
`HOODOO_MODEL_HISTORIES` is the number of histories and `HOODOO_FIRST_MODEL` the first seed. A failure prints its steps.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import hoodoo
from hoodoo.errors import CommitStateUnknown, HoodooError, OptionError, TableChanged
from hoodoo.reading.slice.log_corruption import SkippedCorruption
from hoodoo.service.inline import ServiceFailed
from hoodoo.timeline import instant_time
from hoodoo.txn import ClockBehind

from .clocks import Clock, datetime_of
from .faults import MODES, Faulty, Killed, Mode
from .identifiers import drawn_identifiers
from .leftovers import check_nothing_is_left
from .operations import (
    KINDS,
    NO_SERVICES,
    SERVICES,
    Kind,
    Rows,
    _archive,
    _clean,
    _compact,
    as_version_8,
    read,
    read_rows,
    write,
)
from .store import Files

pytestmark = pytest.mark.slow

HISTORIES = int(os.environ.get("HOODOO_MODEL_HISTORIES", "40"))
FIRST = int(os.environ.get("HOODOO_FIRST_MODEL", "0"))
SHARES = 8
"""Tests over which the histories are divided, so that processes share them; each has a seed of its own."""

KEYS = ("a1", "a2", "b1", "b2", "c1", "c2")
INDEXES = ("simple", "bloom", "bucket", "global-simple", "global-bloom")

batches = st.dictionaries(st.sampled_from(KEYS), st.integers(0, 999), min_size=1, max_size=4)
points = st.tuples(st.integers(1, 220), st.sampled_from(MODES))
services = st.sampled_from((NO_SERVICES, NO_SERVICES, SERVICES))


class TableHistory(RuleBasedStateMachine):
    """A table and the dictionary of its rows."""

    def __init__(self) -> None:
        super().__init__()
        self.files = Files()
        self.rows: Rows = {}
        self.exists = False
        self.clock = Clock()
        self.readers: list[tuple[hoodoo.Table, Rows]] = []
        self.past: dict[str, Rows] = {}
        self.files.clock = self.clock.now
        self._datetime = instant_time.datetime
        instant_time.datetime = datetime_of(self.clock.now)
        # hypothesis requires that the same steps have the same results
        self._patches = ExitStack()
        self._patches.enter_context(drawn_identifiers("model"))

    def teardown(self) -> None:
        instant_time.datetime = self._datetime
        self._patches.close()

    @initialize(kind=st.sampled_from(sorted(KINDS)), index=st.sampled_from(INDEXES))
    def begin(self, kind: str, index: str) -> None:
        self.kind = KINDS[kind]
        self.index: dict[str, Any] = {"index": index}
        if index == "bucket":
            self.index["buckets"] = 2

    @rule(batch=batches, operation=st.sampled_from(("upsert", "upsert", "delete")), services=services)
    def change(self, batch: dict[str, int], operation: str, services: dict[str, Any]) -> None:
        self._write(operation, batch, services, None)

    @rule(batch=batches, operation=st.sampled_from(("insert", "bulk_insert")), services=services)
    def insert(self, batch: dict[str, int], operation: str, services: dict[str, Any]) -> None:
        new = {key: value for key, value in batch.items() if key not in self.rows}
        if new:
            self._write(operation, new, services, None)

    @rule(batch=batches, operation=st.sampled_from(("insert_overwrite", "insert_overwrite_table")), services=services)
    def overwrite(self, batch: dict[str, int], operation: str, services: dict[str, Any]) -> None:
        self._write(operation, batch, services, None)

    @rule(
        batch=batches,
        operation=st.sampled_from(("upsert", "delete", "insert_overwrite", "insert_overwrite_table")),
        point=points,
    )
    def fail(self, batch: dict[str, int], operation: str, point: tuple[int, Mode]) -> None:
        self._write(operation, batch, SERVICES, point)

    @precondition(lambda self: self.rows)
    @rule(data=st.data(), point=st.none() | points)
    def delete_partition(self, data: st.DataObject, point: tuple[int, Mode] | None) -> None:
        partition = data.draw(st.sampled_from(sorted({row[0] for row in self.rows.values()})))
        after = {key: row for key, row in self.rows.items() if row[0] != partition}
        options = {"operation": "delete_partition", "partitions_to_delete": partition, **NO_SERVICES}
        self._done(lambda: write(self.files, self.kind, {}, **self.index, **options), after, point)

    @precondition(lambda self: self.exists)
    @rule(service=st.sampled_from((_compact, _clean, _archive)), point=st.none() | points)
    def serve(self, service: Callable[[Files, Kind], object], point: tuple[int, Mode] | None) -> None:
        self._done(lambda: service(self.files, self.kind), self.rows, point)

    @rule(minutes=st.sampled_from((-10, -1, 1, 10, 60)))
    def jump(self, minutes: int) -> None:
        self.clock.jump(timedelta(minutes=minutes))

    @precondition(lambda self: self.exists)
    @rule()
    def look(self) -> None:
        table = hoodoo.Table(self.files.uri)
        assert read_rows(table) == self.rows
        self.readers.append((table, dict(self.rows)))

    @precondition(lambda self: self.readers)
    @rule(data=st.data())
    def look_again(self, data: st.DataObject) -> None:
        table, rows = data.draw(st.sampled_from(self.readers))
        try:
            assert read_rows(table) == rows, "a reader that was opened earlier returns other rows"
        except TableChanged:
            self.readers.remove((table, rows))

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def travel(self, data: st.DataObject) -> None:
        instant = data.draw(st.sampled_from(sorted(self.past)))
        try:
            found = read_rows(hoodoo.Table(self.files.uri), as_of=instant)
        except OptionError as error:
            if "cannot be read as of" not in str(error):
                raise
        else:
            assert found == self.past[instant], f"the rows as of {instant} are wrong"

    @precondition(lambda self: self.exists)
    @rule()
    def repair(self) -> None:
        """Write after 30 minutes: a writer that was silent for so long counts as dead, and its files are removed."""
        self.clock.jump(timedelta(minutes=30))
        self._write("upsert", {"a1": 1000}, SERVICES, None)
        check_nothing_is_left(self.files)

    @invariant()
    def readers_see_the_dictionary(self) -> None:
        if self.exists:
            assert read(self.files) == self.rows

    def _write(
        self, operation: str, batch: dict[str, int], services: dict[str, Any], point: tuple[int, Mode] | None
    ) -> None:
        if operation == "delete" and not self.exists:
            return
        rows: Rows = {key: (key[0], value) for key, value in batch.items()}
        options = {**self.index, **services, "operation": operation}
        self._done(
            lambda: write(self.files, self.kind, rows, new=not self.exists, **options),
            applied(operation, rows, self.rows),
            point,
        )

    def _done(self, work: Callable[[], object], after: Rows, point: tuple[int, Mode] | None) -> None:
        number, mode = point or (0, MODES[0])
        actor = Faulty(self.files, number, mode)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for category in (ServiceFailed, ClockBehind, SkippedCorruption):
                warnings.simplefilter("ignore", category)
            failure = actor.run(work)
        if failure is not None and not actor.hit:
            raise failure
        before = self.rows
        existed, self.exists = self.exists, self.exists or ".hoodie/hoodie.properties" in self.files.bodies
        found = read(self.files) if self.exists else {}
        if failure is None:
            assert found == after, "the operation succeeded, but its rows are not stored"
        elif isinstance(failure, (CommitStateUnknown, Killed)):
            assert found in (before, after)
        else:
            assert isinstance(failure, HoodooError)
            assert found == before, f"the operation failed, but the rows have changed: {failure!r}"
        self.rows = found
        if not self.exists:
            return
        commits = hoodoo.Table(self.files.uri).timeline.commits
        if commits:
            self.past[commits[-1].time] = dict(found)
        if not existed:
            # a table without a commit may be created again, with other options
            self.exists = bool(commits)
            if commits and self.kind.version == 8:
                as_version_8(self.files)


def applied(operation: str, rows: Rows, before: Rows) -> Rows:
    """Return the rows after an operation with `rows` on a table that has the rows `before`."""
    if operation == "delete":
        return {key: row for key, row in before.items() if key not in rows}
    if operation == "insert_overwrite_table":
        return rows
    if operation == "insert_overwrite":
        replaced = {partition for partition, _ in rows.values()}
        return {key: row for key, row in before.items() if row[0] not in replaced} | rows
    return before | rows


@pytest.mark.scaled
# a killed writer leaves a part of a log block, which a reader reports
@pytest.mark.filterwarnings("ignore::hoodoo.reading.slice.log_corruption.SkippedCorruption")
@pytest.mark.parametrize("share", range(SHARES))
def test_histories(share: int) -> None:
    given = settings(
        max_examples=HISTORIES // SHARES,
        stateful_step_count=12,
        database=None,
        deadline=None,
        print_blob=True,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    # seed() marks a class permanently
    run_state_machine_as_test(seed(FIRST + share)(type("TableHistory", (TableHistory,), {})), settings=given)
