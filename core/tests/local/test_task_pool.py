"""Tasks in threads: order of results, errors, and the end of the other tasks."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from hoodoo.local.task_pool import TaskPool, TaskStopped

THREADS = [1, 2]


@pytest.mark.parametrize("threads", THREADS)
def test_results_are_in_the_order_of_the_tasks(threads):
    assert TaskPool(threads, lambda: None).run([partial(pow, n, 2) for n in range(20)]) == [n * n for n in range(20)]


@pytest.mark.parametrize("threads", THREADS)
def test_no_tasks_give_no_results(threads):
    assert TaskPool(threads, lambda: None).run([]) == []


def test_two_threads_run_two_tasks_at_once():
    barrier = threading.Barrier(2, timeout=30)

    TaskPool(2, lambda: None).run([barrier.wait, barrier.wait])


def test_one_thread_is_the_calling_thread():
    assert TaskPool(1, lambda: None).run([threading.get_ident]) == [threading.get_ident()]


def test_progress_is_called_in_the_calling_thread():
    callers = []

    TaskPool(2, lambda: callers.append(threading.get_ident())).run([lambda: None] * 4)

    assert set(callers) == {threading.get_ident()}
    assert len(callers) >= 4


def test_the_first_error_stops_the_other_tasks_and_is_raised():
    failed, seen = threading.Event(), []
    pool = TaskPool(2, lambda: None)

    def fail():
        failed.set()
        raise ZeroDivisionError

    def endless():
        failed.wait(30)
        try:
            for _ in pool.stoppable(iter(int, 1)):
                pass
        except TaskStopped:
            seen.append("stopped")
            raise

    with pytest.raises(ZeroDivisionError):
        pool.run([endless, fail, lambda: seen.append("late")])
    assert seen in (["stopped"], ["late", "stopped"])


def test_an_interrupt_of_the_calling_thread_stops_the_tasks():
    def interrupt():
        raise KeyboardInterrupt

    ended = []
    pool = TaskPool(2, interrupt)

    def endless():
        try:
            list(pool.stoppable(iter(int, 1)))
        except TaskStopped:
            ended.append(True)
            raise

    with pytest.raises(KeyboardInterrupt):
        pool.run([endless])
    assert ended == [True]
