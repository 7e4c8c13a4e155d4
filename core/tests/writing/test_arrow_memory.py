"""Memory of workers: which pool Arrow uses, and when it releases memory."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.writing import arrow_memory


@pytest.fixture(autouse=True)
def _restored():
    pool = pa.default_memory_pool()
    yield
    pa.set_memory_pool(pool)


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


@pytest.mark.parametrize(("held", "releases"), [(arrow_memory.MUCH_BYTES, 0), (arrow_memory.MUCH_BYTES + 1, 1)])
def test_memory_is_released_only_where_much_is_held(monkeypatch, held, releases):
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
