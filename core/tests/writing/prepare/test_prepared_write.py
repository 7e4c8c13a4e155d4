"""A prepared write is a specified write with its options."""

from __future__ import annotations

import pytest

from hoodoo.writing.write_spec import WriteSpec


def test_it_has_all_parts_of_a_write(prepared):
    write = prepared()
    assert isinstance(write, WriteSpec)
    assert write.options.operation == "upsert"
    assert write.concurrency.write_id is None
    assert not write.drops_metadata


def test_it_is_frozen(prepared):
    with pytest.raises(AttributeError):
        prepared().slices = []
