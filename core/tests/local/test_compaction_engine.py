"""Compaction tasks in threads of this process."""

from __future__ import annotations

import pytest

from hoodoo.local import LocalEngine


def test_each_task_runs_once_with_a_token_of_its_own():
    seen, ticks = [], []

    def task(number):
        def run(token):
            seen.append((number, token.task))
            return f"status {number}"

        return run

    statuses = LocalEngine().compact([task(n) for n in range(5)], "tag", lambda: ticks.append(1))
    assert sorted(statuses) == [f"status {n}" for n in range(5)]
    assert sorted(seen) == [(n, n) for n in range(5)]
    assert len(ticks) == 5


def test_the_error_of_a_task_is_raised():
    def fail(token):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        LocalEngine().compact([fail], "tag", lambda: None)
