"""Garbage collection is paused during planning, and has its earlier state afterwards."""

from __future__ import annotations

import gc

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


def test_new_objects_are_not_examined_by_the_next_collection():
    @without_gc
    def work():
        return [[] for _ in range(10_000)]

    gc.collect()
    kept = work()
    young = {id(each) for generation in (0, 1) for each in gc.get_objects(generation)}
    assert young.isdisjoint(map(id, kept))


def test_objects_that_an_application_froze_stay_frozen():
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        without_gc(list)()
        assert gc.get_freeze_count() >= frozen > 0
    finally:
        gc.unfreeze()
