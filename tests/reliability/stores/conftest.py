"""Fixture with the stores in which tests keep tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.stores import STORES, store_access

from .stored_files import Store


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Yield a store without tables, whose processes use its clock."""
    access = store_access(request, request.param)
    found = Store(access.name, access.new_location("lake"), access.options)
    with found.clock.used():
        yield found
