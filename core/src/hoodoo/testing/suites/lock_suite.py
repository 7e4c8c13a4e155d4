"""Test suite of lock providers: a single holder, released locks, and lost locks."""

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
        freed_within: The maximum number of seconds from the end of the holder's process until the lock is free; None
            if a user must free it.
        patience: The maximum number of seconds for any other operation of the lock.
    """

    family = "lock"
    across_processes: ClassVar[bool] = True
    freed_within: ClassVar[float | None] = 5.0
    patience: ClassVar[float] = 30.0

    def target(self, folder: Path, table: str = "t") -> LockTarget:
        """Return the target of a new writer of a table in a folder."""
        return LockTarget(storage_for(folder), table, "", f"test {id(object())}")

    def take_away(self, target: LockTarget) -> HeldLock | None:
        """End the lock without a call of its holder, or acquire it for another holder; a test may implement it.

        Returns:
            The lock of the other holder; None if there is none.
        """
        raise NotImplementedError

    @contextmanager
    def held(self, target: LockTarget) -> Iterator[HeldLock]:
        """Hold the lock with a new instance of the provider for a block, and close the instance afterwards."""
        provider = self.made()
        try:
            lock = self._eventually(lambda: provider.try_acquire(target), self.patience)
            assert lock is not None, f"{self.label} did not acquire a free lock within {self.patience} s"
            yield lock
            lock.release()
        finally:
            _close(provider)

    def test_one_holder_at_a_time(self, tmp_path: Path) -> None:
        """Test that a held lock cannot be acquired by another instance, and that a second release has no effect."""
        other = self.made()
        with self.held(self.target(tmp_path)) as lock:
            lock.renew()
            assert other.try_acquire(self.target(tmp_path)) is None, f"{self.label} let two holders acquire one lock"
            lock.renew()
        lock.release()
        _close(other)
        with self.held(self.target(tmp_path)) as lock:
            lock.renew()

    def test_it_does_not_wait(self, tmp_path: Path) -> None:
        """Test that `try_acquire` returns None within 2 seconds if the lock is held: the core waits."""
        other = self.made()
        with self.held(self.target(tmp_path)):
            other.try_acquire(self.target(tmp_path))  # opens connections
            started = time.monotonic()
            assert other.try_acquire(self.target(tmp_path)) is None
            assert time.monotonic() - started < 2, f"{self.label} waits for the holder of the lock"
        _close(other)

    def test_tables_have_locks_of_their_own(self, tmp_path: Path) -> None:
        """Test that writers of two tables do not wait for each other."""
        first, second = self.target(tmp_path / "a", "a"), self.target(tmp_path / "b", "b")
        with self.held(first), self.held(second) as lock:
            lock.renew()

    def test_threads_exclude_each_other(self, tmp_path: Path) -> None:
        """Test that only one thread at a time holds the lock."""
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
            except BaseException as error:  # noqa: BLE001 - reported by the thread of the test
                problems.append(f"{type(error).__name__}: {error}")

        threads = [threading.Thread(target=work) for _ in range(_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []

    def test_processes_exclude_each_other(self, tmp_path: Path) -> None:
        """Test that a lock of another process cannot be acquired until that process releases it."""
        if not self.across_processes:
            pytest.skip("the lock excludes only the threads of one process")
        provider = self.made()
        with self._child(tmp_path) as child:
            for _ in range(3):
                assert provider.try_acquire(self.target(tmp_path)) is None, (
                    f"{self.label} let two processes acquire one lock"
                )
            child.communicate("release\n", timeout=self.patience)
            assert child.returncode == 0
        _close(provider)
        with self.held(self.target(tmp_path)) as lock:
            lock.renew()

    def test_a_killed_holder_frees_it(self, tmp_path: Path) -> None:
        """Test that the lock is free within `freed_within` seconds after the death of the holder's process."""
        if not self.across_processes:
            pytest.skip("the lock ends with its process")
        if self.freed_within is None:
            pytest.skip("the lock is freed by hand")
        with self._child(tmp_path) as child:
            child.kill()
            child.wait()
        provider = self.made()
        lock = self._eventually(lambda: provider.try_acquire(self.target(tmp_path)), self.freed_within)
        assert lock is not None, f"the lock of {self.label} is not free {self.freed_within} s after its holder ended"
        lock.renew()
        lock.release()
        _close(provider)

    def test_a_lost_lock_is_noticed_by_renew(self, tmp_path: Path) -> None:
        """Test that `renew` raises `LockLost` after `take_away`, and a release does not end the new holder's lock."""
        target = self.target(tmp_path)
        if type(self).take_away is LockSuite.take_away:
            pytest.skip("the test does not implement `take_away`")
        with self.held(target) as lock:
            lock.renew()
            theirs = self.take_away(target)
            with pytest.raises(LockLost):
                lock.renew()
        if theirs is not None:
            theirs.renew()
            theirs.release()

    def test_describe_names_the_lock_and_no_secret(self, tmp_path: Path) -> None:
        """Test that `describe` returns text for held and free locks, and that it and `repr` show no secret option."""
        provider = self.made()
        texts = [provider.describe(self.target(tmp_path))]
        with self.held(self.target(tmp_path)):
            texts.append(provider.describe(self.target(tmp_path)))
        assert all(text.strip() for text in texts), "`describe` returned an empty text"
        secret = {key.lower() for option in self.loaded().options if option.secret for key in option.keys}
        for key, value in self.options.items():
            if key.lower() in secret:
                assert not any(str(value) in text for text in [*texts, repr(provider)]), (
                    f"`describe` or `repr` shows the secret option '{key}'"
                )
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
                assert child.stdout.readline() == "held\n", f"another process did not acquire the lock of {self.label}"
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
