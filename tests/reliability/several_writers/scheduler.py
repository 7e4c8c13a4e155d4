"""Threads that take turns at their calls to the store, in an order that a seed determines.

Only one of them runs at a time, and it runs up to its next call. Times, random names and locks are those of the
simulation, so that a seed gives the same history again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from random import Random

import pytest
from attrs import define, field

from hoodoo.timeline import instant_time
from hoodoo.txn import markers
from hoodoo.txn.locking import table_lock as table_lock_module
from tests.reliability.actors import Actor, acting_as
from tests.reliability.clocks import datetime_of
from tests.reliability.held_writes import publish_own
from tests.reliability.identifiers import drawn_identifiers
from tests.reliability.store import EPOCH

__all__ = ["Process", "Scheduler", "Stuck"]

PATIENCE = 60.0
"""Seconds of real time that a process may take until its next call."""

_STEP = timedelta(milliseconds=7)


def _held() -> threading.Lock:
    """Create a lock that is held: a thread that acquires it waits until another thread releases it."""
    lock = threading.Lock()
    lock.acquire()
    return lock


class Stuck(AssertionError):
    """Error for processes that all wait for locks, or for one that does not reach its next call in time."""


@define(eq=False)
class Process:
    """A thread that runs some work as an actor of the store.

    Attributes:
        name: The name in messages.
        work: The function that the thread runs.
        skew: The time by which its clock is ahead.
        inner: Another actor for its calls, which may fail them.
        failure: The exception that the work raised; None if there was none.
        waits: Whether it waits until another process releases a lock.
        is_done: Whether the work has ended.
    """

    name: str
    work: Callable[[], object]
    skew: timedelta = timedelta()
    inner: Actor | None = None
    failure: BaseException | None = field(default=None, init=False)
    waits: bool = field(default=False, init=False)
    is_done: bool = field(default=False, init=False)
    _turn: threading.Lock = field(factory=_held, init=False)
    _scheduler: Scheduler = field(init=False, repr=False)
    _thread: threading.Thread = field(init=False, repr=False)

    def start(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()

    def resume(self) -> None:
        self._turn.release()

    def before(self, operation: str, path: str) -> None:
        self._yield()
        if self.inner is not None:
            self.inner.before(operation, path)

    def after(self, operation: str, path: str) -> None:
        self._scheduler.happened(self, operation, path)
        if self.inner is not None:
            self.inner.after(operation, path)

    def wait_for_a_lock(self) -> None:
        """Run other threads until one of them releases a lock."""
        self.waits = True
        self._yield()

    def _yield(self) -> None:
        self._scheduler.reached()
        self._turn.acquire()

    def _run(self) -> None:
        self._turn.acquire()
        try:
            with acting_as(self):
                self.work()
        except BaseException as error:  # noqa: BLE001 - the test judges it
            self.failure = error
        self.is_done = True
        self._scheduler.ended(self)
        self._scheduler.reached()


@define(eq=False)
class Scheduler:
    """Scheduler that runs processes until all have ended.

    Attributes:
        seed: The seed of the choice of the next process at each call.
        observe: A function that is called after each call that took effect, with process, operation and path.
        at_end: A function that is called when a process has ended.
        expire: A function that is called when all processes wait. It ends the locks that the store would end after
            some time, and returns whether there were any.
        begin: The time of all clocks without a skew at the beginning.
        steps: The number of calls so far.
    """

    seed: int
    observe: Callable[[Process, str, str], None] = lambda process, operation, path: None
    at_end: Callable[[Process], None] = lambda process: None
    expire: Callable[[], bool] = lambda: False
    begin: datetime = EPOCH + timedelta(days=1)
    steps: int = field(default=0, init=False)
    random: Random = field(init=False)
    _processes: list[Process] = field(factory=list, init=False)
    _current: Process | None = field(default=None, init=False)
    _reached: threading.Lock = field(factory=_held, init=False)
    _time: timedelta = field(factory=timedelta, init=False)

    def __attrs_post_init__(self) -> None:
        self.random = Random(self.seed)

    def run(self, processes: Sequence[Process]) -> None:
        """Run to the end of all processes.

        Raises:
            Stuck: All processes that have not ended wait for locks, or one does not reach its next call in time.
        """
        self._processes = list(processes)
        choose = self._chooser()
        for process in self._processes:
            process.start(self)
        while left := [process for process in self._processes if not process.is_done]:
            runnable = [process for process in left if not process.waits]
            if not runnable and self.expire():
                self._wake()
                continue
            if not runnable:
                raise Stuck(f"{', '.join(p.name for p in left)} wait for locks that no process releases")
            self._current = choose(runnable)
            self.steps += 1
            self._current.resume()
            if not self._reached.acquire(timeout=PATIENCE):
                raise Stuck(f"{self._current.name} did not reach its next call within {PATIENCE} s")
        self._current = None

    def _chooser(self) -> Callable[[list[Process]], Process]:
        """Return a choice function: random at each step, or by priorities that change only at a few steps."""
        if self.random.random() < 0.5:
            return self.random.choice
        order = self.random.sample(self._processes, len(self._processes))
        changes = {self.random.randrange(600) for _ in range(self.random.randrange(1, 12))}

        def by_priority(runnable: list[Process]) -> Process:
            first = min(runnable, key=order.index)
            if self.steps in changes:
                order.remove(first)
                order.append(first)
            return min(runnable, key=order.index)

        return by_priority

    def reached(self) -> None:
        self._reached.release()

    def happened(self, process: Process, operation: str, path: str) -> None:
        # in object stores, a lock is released by a swap of its content
        if operation in ("release", "swap"):
            self._wake()
        self.observe(process, operation, path)

    def ended(self, process: Process) -> None:
        self.at_end(process)
        self._wake()

    def _wake(self) -> None:
        for other in self._processes:
            other.waits = False

    def now(self) -> datetime:
        """Return the time of the running process's clock, which moves on a little with each call."""
        self._time += _STEP
        return self.begin + self._time + (self._current.skew if self._current else timedelta())

    @property
    def passed(self) -> timedelta:
        """Return the time since the beginning."""
        return self._time

    def pass_time(self, time: timedelta) -> None:
        self._time += time

    def store_now(self) -> datetime:
        """Return the time of the store's clock, which moves on a little with each call."""
        self._time += _STEP
        return self.begin + self._time

    def sleep(self, seconds: float) -> None:
        if self._current is not None and threading.current_thread().name == self._current.name:
            self._current.wait_for_a_lock()

    @contextmanager
    def simulated(self) -> Iterator[pytest.MonkeyPatch]:
        """Replace clocks, waiting and random names by those of the simulation; yield the patch for other changes."""
        scheduler = self

        class Time:
            sleep = staticmethod(scheduler.sleep)
            monotonic = staticmethod(lambda: scheduler._time.total_seconds())

        class TimeOfTasks(Time):
            # tasks wait until the timers of writes have elapsed
            sleep = staticmethod(lambda seconds: publish_own())

        with pytest.MonkeyPatch.context() as patch, drawn_identifiers(f"names of {self.seed}"):
            patch.setattr(instant_time, "datetime", datetime_of(self.now))
            patch.setattr(table_lock_module, "time", Time)
            patch.setattr(markers, "time", TimeOfTasks)
            yield patch
