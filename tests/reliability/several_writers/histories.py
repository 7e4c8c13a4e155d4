"""One scheduled history: writers, services and readers of one table alternate, and checks of the result.

A write takes effect at the moment at which its commit is put on the timeline, and every acknowledged write took effect.
The table is the result of the writes on the timeline, in that order. A reader returns the table as it was at one moment
between the beginning and the end of its read, and the same again when it reads once more.
"""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random

from attrs import define, evolve, field, frozen

import hoodoo
from hoodoo.errors import CommitConflict, HoodooError, TableChanged
from hoodoo.reading.slice.log_corruption import SkippedCorruption
from hoodoo.service.inline import ServiceFailed
from hoodoo.storage import name_of
from hoodoo.timeline import COMMIT_ACTIONS, CommitMetadata, Instant, State
from hoodoo.txn import ClockBehind
from hoodoo.txn.held_write import held_write
from hoodoo.writing.commit import Commit
from hoodoo.writing.data_files import returned_files
from tests.reliability.faults import Faulty, Killed, Mode
from tests.reliability.leftovers import check_nothing_is_left
from tests.reliability.operations import (
    KINDS,
    NO_SERVICES,
    SERVICES,
    Kind,
    Rows,
    _archive,
    _clean,
    _compact,
    prepared,
    read_rows,
    write,
)
from tests.reliability.store import EPOCH, Files, storage_of

from .scheduler import Process, Scheduler

__all__ = ["History", "run_history"]

KEYS = ("a1", "a2", "b1", "c1", "d1", "d2")
TRIES = 8
FAULTS: tuple[Mode, ...] = ("fail after", "fail twice", "fail before", "kill before", "kill after")


@frozen
class Change:
    """A write: an operation with rows, and its effect on earlier rows."""

    operation: str
    rows: Rows

    def applied(self, before: Rows, begun: Rows) -> Rows:
        """Return the rows after the change.

        Args:
            before: The rows that it is applied to.
            begun: The rows when it began. A delete of a key that was not among them counts as earlier than the write
                that inserted the key.
        """
        if self.operation == "delete":
            return {key: row for key, row in before.items() if key not in self.rows or key not in begun}
        if self.operation == "insert_overwrite":
            replaced = {partition for partition, _ in self.rows.values()}
            return {key: row for key, row in before.items() if row[0] not in replaced} | self.rows
        return before | self.rows


@define(eq=False)
class History:
    """Events of a run.

    Attributes:
        kind: The table's kind.
        files: The files of the table.
        states: The rows after each commit, beginning with the rows before the first one.
        current: The change that each process is writing, by its name.
        begun: The rows at the beginning of the last write of each process, by its name.
        acknowledged: The instants of the commits that were returned to writers.
        happened: The instants that took effect.
        newest: The instant that was begun last: instants appear in their order, even if clocks differ.
        reads: The number of tables that were read twice, or once if a clean prevented the second read.
        conflicts: The number of attempts at a write or service that ended in a conflict.
        cleaned: The number of reads that a clean prevented.
        chance: The source of choices about the store.
        published: The number of writes that released the lock of their begin before their commit.
    """

    kind: Kind
    files: Files
    states: list[Rows]
    chance: Random
    current: dict[str, Change] = field(factory=dict)
    begun: dict[str, Rows] = field(factory=dict)
    acknowledged: list[str] = field(factory=list)
    happened: list[str] = field(factory=list)
    newest: str = ""
    reads: int = 0
    conflicts: int = 0
    cleaned: int = 0
    published: int = 0

    def observe(self, process: Process, operation: str, path: str) -> None:
        self._publish_some(operation, path)
        if operation != "create" or not path.startswith(".hoodie/"):
            return
        instant = Instant.parse(name_of(path), 1 if self.kind.version == 6 else 2)
        if instant is None or instant.action not in COMMIT_ACTIONS:
            return
        if instant.state is State.REQUESTED:
            assert instant.time > self.newest, f"{instant.time} was begun after {self.newest}"
            self.newest = instant.time
            self.begun[process.name] = self.states[-1]
        if not instant.is_completed:
            return
        assert instant.time not in self.happened, f"{instant.time} was completed twice"
        self.happened.append(instant.time)
        # a write may compact after its commit
        compacts = CommitMetadata.read(self.files.bodies[path], path).operation_type == "COMPACT"
        change = None if compacts else self.current.get(process.name)
        last = self.states[-1]
        self.states.append(dict(last) if change is None else change.applied(last, self.begun[process.name]))

    def _publish_some(self, operation: str, path: str) -> None:
        """Release the lock of some writes that keep it, as a timer does, when one of their tasks begins a file."""
        if operation == "create" and ".marker." in path:
            held = held_write(storage_of(self.files), path.split("/")[2])
            if held is not None and self.chance.random() < 0.3:
                held.publish()
                self.published += 1


def run_history(seed: int, store: Callable[[], Files] | None = None) -> History:
    """Run the history of a seed.

    Args:
        seed: The seed of all choices: the table, the processes, their order and their faults.
        store: A function that returns a new table in a store; None for the store in memory, which is remote in half of
            the histories.

    Raises:
        AssertionError: A check fails, or a process raises an unexpected error; the message has the replay command.
    """
    random = Random(f"history {seed}")
    kind = evolve(random.choice(list(KINDS.values())), store=store)
    scheduler = Scheduler(seed, begin=_begin(kind))
    with scheduler.simulated() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")
        # services that another one overtakes, clocks that differ, logs of version 6 during a write
        for category in (ServiceFailed, ClockBehind, SkippedCorruption):
            warnings.simplefilter("ignore", category)
        first, rows, passed = _prepared(kind)
        files = first.copy()
        chance = Random(f"store of {seed}")
        files.is_remote = chance.random() < 0.5
        tasks = Random(f"tasks of {seed}")
        kind = evolve(kind, returns_files=files.is_remote and tasks.random() < 0.5)
        if tasks.random() < 0.3:
            patch.setattr(returned_files, "MOST_BYTES_OF_TASK", 1)
        scheduler.pass_time(passed)
        history = History(kind, files, [rows], chance)
        scheduler.observe, scheduler.at_end, scheduler.expire = history.observe, files.free_locks, files.expire_locks
        files.clock = scheduler.store_now
        processes = _processes(history, random)
        try:
            scheduler.run(processes)
            # after this time every silent process counts as dead
            scheduler.pass_time(timedelta(minutes=30))
            files.pass_time(timedelta(minutes=30))
            _judge(history, processes)
        except (AssertionError, HoodooError) as wrong:
            raise AssertionError(f"{wrong!r} on {kind.name}; {_replay(seed)}") from wrong
    return history


@functools.cache
def _prepared(kind: Kind) -> tuple[Files, Rows, timedelta]:
    """Create the table of all histories of a kind; return its files, its rows, and the elapsed time."""
    scheduler = Scheduler(-1, begin=_begin(kind))
    with scheduler.simulated():
        files, rows = prepared(kind)
    return files, rows, scheduler.passed


def _begin(kind: Kind) -> datetime:
    """Return the time at which a history begins: a fixed time in memory, and now in a real store with its own clock."""
    return EPOCH + timedelta(days=1) if kind.store is None else datetime.now(UTC)


def _replay(seed: int) -> str:
    hashing = os.environ.get("PYTHONHASHSEED", "random")
    return f"replay: PYTHONHASHSEED={hashing} python -m tests.reliability.replay schedule {seed}"


def _processes(history: History, random: Random) -> list[Process]:
    files, kind = history.files, history.kind
    processes = [_writer(history, f"writer {number}", random) for number in range(random.choice((2, 2, 3)))]
    services: dict[str, Callable[[], object]] = {
        "compactor": lambda: _served(history, lambda: _compact(files, kind)),
        "cleaner": lambda: _served(history, lambda: _clean(files, kind)),
        "archiver": lambda: _served(history, lambda: _archive(files, kind)),
    }
    processes += [Process(name, services[name]) for name in random.sample(sorted(services), random.randrange(4))]
    processes += [
        Process(f"reader {number}", lambda: _reader(history)) for number in range(random.choice((0, 1, 1, 2)))
    ]
    if random.random() < 0.5:
        _make_faulty(random.choice(processes), files, random)
    if random.random() < 0.3:
        # the processes run on hosts whose clocks are minutes apart
        for process in processes:
            process.skew = timedelta(seconds=random.choice((0, 0, -600, 600, -1, 1)))
    return processes


def _make_faulty(process: Process, files: Files, random: Random) -> None:
    faulty = Faulty(files, random.randrange(1, 150), random.choice(FAULTS), owner=process)
    process.inner = faulty


def _writer(history: History, name: str, random: Random) -> Process:
    changes = [_change(random) for _ in range(random.choice((1, 2)))]
    services = random.choice((NO_SERVICES, SERVICES))

    def work() -> None:
        for change in changes:
            for _ in range(TRIES):
                history.current[name] = change
                try:
                    done = write(history.files, history.kind, change.rows, operation=change.operation, **services)
                except CommitConflict:
                    history.conflicts += 1
                    continue
                finally:
                    history.current.pop(name, None)
                _acknowledge(history, done)
                break

    return Process(name, work)


def _acknowledge(history: History, done: Commit) -> None:
    assert done.instant is not None
    history.acknowledged.append(done.instant)
    assert done.instant in history.happened, "the write was acknowledged, but is not on the timeline"


def _change(random: Random) -> Change:
    operation = random.choice(("upsert", "upsert", "upsert", "delete", "insert_overwrite"))
    keys = random.sample(KEYS, random.randrange(1, 4))
    return Change(operation, {key: (key[0], random.randrange(1000)) for key in keys})


def _served(history: History, service: Callable[[], object]) -> None:
    for _ in range(2):
        try:
            service()
        except CommitConflict:
            history.conflicts += 1


def _reader(history: History) -> None:
    for _ in range(3):
        first = len(history.states)
        table = hoodoo.Table(history.files.uri)
        try:
            rows = read_rows(table)
        except TableChanged:
            # the cleaner keeps only one commit; a user reads the table again
            history.cleaned += 1
            continue
        possible = history.states[first - 1 :]
        assert rows in possible, f"a reader returned {rows}, but the table was one of {possible}"
        try:
            assert read_rows(table) == rows, "a second read of one snapshot returned other rows"
        except TableChanged:
            history.cleaned += 1
        history.reads += 1


def _judge(history: History, processes: list[Process]) -> None:
    for process in processes:
        faulty = isinstance(process.inner, Faulty) and bool(process.inner.hit)
        expected: tuple[type[BaseException], ...] = (Killed, HoodooError) if faulty else ()
        if process.failure is not None and not isinstance(process.failure, expected):
            raise AssertionError(f"{process.name}: {process.failure!r}") from process.failure
    files, kind, rows = history.files, history.kind, history.states[-1]
    found = read_rows(hoodoo.Table(files.uri))
    assert found == rows, f"the table is {found} at the end; expected: {rows}"
    for value in (2000, 2001):
        last = {"a1": ("a", value), "z1": ("z", value)}
        write(files, kind, last, **SERVICES)
        rows = rows | last
        found = read_rows(hoodoo.Table(files.uri))
        assert found == rows, f"the table is {found} after the next write; expected: {rows}"
    check_nothing_is_left(files)
