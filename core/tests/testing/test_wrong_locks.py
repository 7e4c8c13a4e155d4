"""Lock providers that are wrong in one way each, and the test of the kit that finds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoodoo.testing import LockSuite

from .wrong import Install, made

pytestmark = pytest.mark.slow

GOOD = """
import threading
from hoodoo.errors import LockLost

LOCKS = {}

@frozen
class Held:
    lock: object

    def renew(self): ...

    def release(self):
        if self.lock.locked():
            self.lock.release()

@frozen
class Rule:
    password: str = option(default="", secret=True)

    def try_acquire(self, target):
        lock = LOCKS.setdefault(target.uri, threading.Lock())
        return Held(lock) if lock.acquire(blocking=False) else None

    def describe(self, target):
        return "a lock of this process"
"""
WRONG = [
    ("Held(lock) if lock.acquire(blocking=False) else None", "Held(lock)", "test_one_holder_at_a_time"),
    ("acquire(blocking=False)", "acquire(timeout=3)", "test_it_does_not_wait"),
    ("setdefault(target.uri,", "setdefault('all',", "test_tables_have_locks_of_their_own"),
    ("Held(lock) if lock.acquire(blocking=False) else None", "Held(lock)", "test_threads_exclude_each_other"),
    ("def renew(self): ...", "def renew(self): raise OSError", "test_one_holder_at_a_time"),
    ("self.lock.release()", "pass", "test_one_holder_at_a_time"),
    ('"a lock of this process"', '""', "test_describe_names_the_lock_and_no_secret"),
    ('"a lock of this process"', 'f"a lock with {self.password}"', "test_describe_names_the_lock_and_no_secret"),
    ("secret=True", "secret=True, key='k.password'", None),
]


def suite(name: str, **attributes: object) -> LockSuite:
    return made(LockSuite, name, patience=1.0, options={"password": "hunter2"}, **attributes)  # type: ignore[no-any-return]


@pytest.mark.parametrize(("right", "wrong", "test"), WRONG)
def test_what_is_wrong_is_found(install: Install, tmp_path: Path, right: str, wrong: str, test: str | None) -> None:
    assert right in GOOD
    tests = suite(install(GOOD.replace(right, wrong), "lock"))
    if test is None:
        tests.test_describe_names_the_lock_and_no_secret(tmp_path)
        return
    with pytest.raises((AssertionError, OSError)):
        getattr(tests, test)(tmp_path)


def test_a_lock_of_one_process_is_no_lock_of_several(install: Install, tmp_path: Path) -> None:
    name = install(GOOD, "lock")
    tests = suite(name)
    for test in ("one_holder_at_a_time", "tables_have_locks_of_their_own", "threads_exclude_each_other"):
        getattr(tests, f"test_{test}")(tmp_path)
    with pytest.raises(pytest.skip.Exception, match="threads of one process"):
        suite(name, across_processes=False).test_processes_exclude_each_other(tmp_path)


def test_a_loss_that_renew_does_not_notice_is_found(install: Install, tmp_path: Path) -> None:
    name = install(GOOD, "lock")
    with pytest.raises(pytest.fail.Exception, match="LockLost"):
        suite(name, take_away=lambda self, target: None).test_a_lost_lock_is_noticed_by_renew(tmp_path)
    with pytest.raises(pytest.skip.Exception, match="take_away"):
        suite(name).test_a_lost_lock_is_noticed_by_renew(tmp_path)
