"""Garbage collection is paused during planning, and has its earlier state afterwards."""

from __future__ import annotations

import gc
import weakref

import pytest

from hoodoo.reading.gc_pause import without_gc


@pytest.fixture(params=[True, False], ids=["on", "off"])
def enabled(request):
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_nothing_is_collected_during_the_work(enabled):
    @without_gc
    def work(value, *, more):
        assert not gc.isenabled()
        return value + more

    assert work(1, more=2) == 3
    assert gc.isenabled() is enabled


def test_collection_continues_after_an_error(enabled):
    @without_gc
    def work():
        raise KeyError("x")

    with pytest.raises(KeyError):
        work()
    assert gc.isenabled() is enabled


def test_calls_within_calls_leave_it_paused():
    @without_gc
    def inner():
        return gc.isenabled()

    @without_gc
    def outer():
        return inner(), gc.isenabled()

    assert outer() == (False, False)
    assert gc.isenabled()


def test_garbage_between_calls_is_freed():
    class Garbage:
        pass

    freed = []
    for number in range(2_000):
        without_gc(list)()
        garbage = Garbage()
        garbage.itself = garbage
        weakref.finalize(garbage, freed.append, number)
    assert len(freed) > 1_000, "a call of a paused function resets the counts that start a collection"
