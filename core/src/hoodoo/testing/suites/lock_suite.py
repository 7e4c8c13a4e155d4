"""The suite of lock providers: one holder at a time, locks that end, and locks that were lost."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest

from hoodoo.errors import LockLost
from hoodoo.plugin import BaseLockProvider, HeldLock, LockTarget
from hoodoo.plugin.completion import completed
from hoodoo.storage import storage_for
from hoodoo.testing.suites.plugin_suite import NamedSuite

__all__ = ["LockSuite"]

T = TypeVar("T")

_CHILD = """
import json, sys, time
from hoodoo.plugin import BaseLockProvider, LockTarget, default_catalogue
from hoodoo.plugin.completion import completed
from hoodoo.storage import storage_for

plugin, options, uri, table = json.loads(sys.argv[1])
provider = default_catalogue().make("lock", plugin, options)
target = LockTarget(storage_for(uri), table, "", "a child process")
while (held := provider.try_acquire(target)) is None:
    time.sleep(0.05)
print("held", flush=True)
sys.stdin.readline()
held.release()
completed(provider, BaseLockProvider).close()
"""
_THREADS = 4
_ROUNDS = 4


class LockSuite(NamedSuite):
    """Tests of a lock provider: derive a class `Test...` from it and set `plugin`.

    Attributes:
        across_processes: Whether the lock excludes writers in other processes.
        freed_within: Seconds after the death of its holder's process in which the lock becomes free; None where it is
            freed by hand.
        patience: Seconds for everything else that a lock may take.
    """

    family = "lock"
    across_processes: ClassVar[bool] = True
    freed_within: ClassVar[float | None] = 5.0
    patience: ClassVar[float] = 30.0

    def target(self, folder: Path, table: str = "t") -> LockTarget:
        """Make the target of a new writer of a table in a folder."""
        return LockTarget(storage_for(folder), table, "", f"test {id(object())}")

    def take_away(self, target: LockTarget) -> HeldLock | None:
        """End the lock without its holder, or give it to another holder; a derived class may implement it.

        Returns:
            What the other holder holds, if there is one.
        """
        raise NotImplementedError

    @contextmanager
    def held(self, target: LockTarget) -> Iterator[HeldLock]:
        """Hold the lock by a new instance of the provider, and close the instance afterwards."""
        provider = self.made()
        try:
            lock = self._eventually(lambda: provider.try_acquire(target), self.patience)
            assert lock is not None, f"{self.label} does not give the lock to anybody"
            yield lock
            lock.release()
        finally:
            _close(provider)

    def test_one_holder_at_a_time(self, tmp_path: Path) -> None:
        """Another instance does not get the lock until it is released; releasing it twice does no harm."""
        other = self.made()
        with self.held(self.target(tmp_path)) as lock:
            lock.renew()
            assert other.try_acquire(self.target(tmp_path)) is None, f"{self.label} gave one lock to two holders"
            lock.renew()
        lock.release()
        _close(other)
        with self.held(self.target(tmp_path)) as lock:
            lock.renew()

    def test_it_does_not_wait(self, tmp_path: Path) -> None:
        """The core waits, so that a held lock is answered at once."""
        other = self.made()
        with self.held(self.target(tmp_path)):
            other.try_acquire(self.target(tmp_path))  # connections are made once
            started = time.monotonic()
            assert other.try_acquire(self.target(tmp_path)) is None
            assert time.monotonic() - started < 2, f"{self.label} waits for the holder of the lock"
        _close(other)

    def test_tables_have_locks_of_their_own(self, tmp_path: Path) -> None:
        """Writers of two tables do not wait for each other."""
        first, second = self.target(tmp_path / "a", "a"), self.target(tmp_path / "b", "b")
        with self.held(first), self.held(second) as lock:
            lock.renew()

    def test_threads_exclude_each_other(self, tmp_path: Path) -> None:
        """Only one thread at a time holds the lock."""
        inside: list[int] = []
        problems: list[str] = []

        def work() -> None:
            try:
                for _ in range(_ROUNDS):
                    with self.held(self.target(tmp_path)) as lock:
                        inside.append(1)
                        if len(inside) > 1:
                            problems.append("two threads held the lock at once")
                        time.sleep(0.01)
                        lock.renew()
                        inside.pop()
            except BaseException as error:  # noqa: BLE001 - shown by the test's own thread
                problems.append(f"{type(error).__name__}: {error}")

        threads = [threading.Thread(target=work) for _ in range(_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []

    def test_processes_exclude_each_other(self, tmp_path: Path) -> None:
        """A lock that another process holds is not given, and is given once that process releases it."""
        if not self.across_processes:
            pytest.skip("the lock excludes the threads of one process alone")
        provider = self.made()
        with self._child(tmp_path) as child:
            for _ in range(3):
                assert provider.try_acquire(self.target(tmp_path)) is None, f"{self.label} gave one lock to two"
            child.communicate("release\n", timeout=self.patience)
            assert child.returncode == 0
        _close(provider)
        with self.held(self.target(tmp_path)) as lock:
            lock.renew()

    def test_a_killed_holder_frees_it(self, tmp_path: Path) -> None:
        """After the death of its holder's process the lock is free in `freed_within` seconds."""
        if not self.across_processes:
            pytest.skip("the lock ends with its process")
        if self.freed_within is None:
            pytest.skip("the lock is freed by hand")
        with self._child(tmp_path) as child:
            child.kill()
            child.wait()
        provider = self.made()
        lock = self._eventually(lambda: provider.try_acquire(self.target(tmp_path)), self.freed_within)
        assert lock is not None, f"{self.label} is not free {self.freed_within} s after the death of its holder"
        lock.renew()
        lock.release()
        _close(provider)

    def test_a_lost_lock_is_noticed_by_renew(self, tmp_path: Path) -> None:
        """`renew` raises `LockLost` where `take_away` took the lock, and releasing it does not end the other's."""
        target = self.target(tmp_path)
        if type(self).take_away is LockSuite.take_away:
            pytest.skip("the test does not give `take_away`")
        with self.held(target) as lock:
            lock.renew()
            theirs = self.take_away(target)
            with pytest.raises(LockLost):
                lock.renew()
        if theirs is not None:
            theirs.renew()
            theirs.release()

    def test_describe_names_the_lock_and_no_secret(self, tmp_path: Path) -> None:
        """`describe` has a text for a held lock and for a free one; neither it nor `repr` shows a secret option."""
        provider = self.made()
        texts = [provider.describe(self.target(tmp_path))]
        with self.held(self.target(tmp_path)):
            texts.append(provider.describe(self.target(tmp_path)))
        assert all(text.strip() for text in texts)
        secret = {key.lower() for option in self.loaded().options if option.secret for key in option.keys}
        for key, value in self.options.items():
            if key.lower() in secret:
                assert not any(str(value) in text for text in [*texts, repr(provider)]), f"'{key}' is shown"
        _close(provider)

    @contextmanager
    def _child(self, folder: Path) -> Iterator[subprocess.Popen[str]]:
        """Run a process that holds the lock until it reads a line."""
        target = self.target(folder)
        given = json.dumps([self.plugin, dict(self.options), target.uri, target.table])
        command = [sys.executable, "-c", _CHILD, given]
        with subprocess.Popen(  # noqa: S603 - this interpreter, and text of this module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as child:
            try:
                assert child.stdout is not None
                assert child.stdout.readline() == "held\n", f"another process does not get the lock of {self.label}"
                yield child
            finally:
                child.kill()

    @staticmethod
    def _eventually(call: Callable[[], T | None], seconds: float) -> T | None:
        deadline = time.monotonic() + seconds
        while (answer := call()) is None and time.monotonic() < deadline:
            time.sleep(0.02)
        return answer


def _close(provider: Any) -> None:
    completed(provider, BaseLockProvider).close()
