"""The allocator of Arrow during writes."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.local.system_allocator import system_memory


def test_the_allocator_is_that_of_the_system_until_the_last_block_ends():
    before = pa.default_memory_pool().backend_name
    first, second = system_memory(), system_memory()

    first.__enter__()
    second.__enter__()
    assert pa.default_memory_pool().backend_name == "system"
    first.__exit__(None, None, None)
    assert pa.default_memory_pool().backend_name == "system"
    second.__exit__(None, None, None)
    assert pa.default_memory_pool().backend_name == before


def test_an_error_restores_the_allocator():
    before = pa.default_memory_pool().backend_name

    with pytest.raises(ZeroDivisionError), system_memory():
        raise ZeroDivisionError
    assert pa.default_memory_pool().backend_name == before
