"""Memory of workers: which pool Arrow uses, and when it releases memory."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.writing import arrow_memory


@pytest.fixture(autouse=True)
def _restored():
    pool, returns = pa.default_memory_pool(), arrow_memory._returns
    yield
    pa.set_memory_pool(pool)
    arrow_memory._returns = returns


def test_a_process_returns_no_memory_by_default(monkeypatch):
    """By default nothing is released, because a program that writes in threads is not a worker of Spark."""
    monkeypatch.setattr(arrow_memory.pa, "default_memory_pool", None)
    monkeypatch.setattr(arrow_memory, "_returns", False)
    arrow_memory.release_unused()


def test_a_process_that_returns_memory_uses_the_pool_of_the_system():
    arrow_memory.prefer_returning()
    assert pa.default_memory_pool().backend_name == "system"
    arrow_memory.prefer_returning()
    assert pa.default_memory_pool().backend_name == "system"


@pytest.mark.skipif("mimalloc" not in pa.supported_memory_backends(), reason="this Arrow has no mimalloc")
def test_a_process_that_keeps_memory_uses_mimalloc():
    arrow_memory.prefer_returning()
    arrow_memory.prefer_keeping()
    assert pa.default_memory_pool().backend_name == "mimalloc"


MUCH = arrow_memory.MUCH_BYTES
CASES = [(MUCH, True, 0), (MUCH + 1, True, 1), (MUCH + 1, False, 0)]


@pytest.mark.parametrize(("held", "returns", "releases"), CASES)
def test_memory_is_released_only_by_a_worker_that_holds_much(monkeypatch, held, returns, releases):
    arrow_memory.prefer_returning()
    if not returns:
        arrow_memory.prefer_keeping()
    released = []

    class Pool:
        def bytes_allocated(self):
            return held

        def release_unused(self):
            released.append(True)

    monkeypatch.setattr(arrow_memory.pa, "default_memory_pool", Pool)
    arrow_memory.release_unused()
    monkeypatch.undo()
    assert len(released) == releases
