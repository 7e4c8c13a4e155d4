"""The lock provider `in-process`: one lock for each table, among the threads of a process."""

from __future__ import annotations

from pathlib import Path

from hoodoo_lock_in_process import InProcessLock

from hoodoo.testing import LockSuite


class TestInProcess(LockSuite):
    plugin = "in-process"
    across_processes = False


def test_a_message_names_the_writer_that_holds_the_lock(tmp_path: Path) -> None:
    mine, theirs = TestInProcess().target(tmp_path), TestInProcess().target(tmp_path)
    held = InProcessLock().try_acquire(mine)
    assert held is not None

    assert InProcessLock().describe(theirs).endswith(f"held by {mine.owner}")
    held.release()
    assert InProcessLock().describe(theirs).endswith("held by no writer")


def test_a_lock_that_is_released_twice_does_not_free_that_of_the_next_holder(tmp_path: Path) -> None:
    target = TestInProcess().target(tmp_path)
    first = InProcessLock().try_acquire(target)
    assert first is not None
    first.release()
    second = InProcessLock().try_acquire(target)
    assert second is not None
    first.release()

    assert InProcessLock().try_acquire(target) is None
    second.release()
