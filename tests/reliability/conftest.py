"""Fixture for tables in memory, which every module of this folder uses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hoodoo.txn.heartbeat import Heartbeat
from hoodoo.txn.held_write import HeldWrite

from .held_writes import without_timer
from .store import opened_by_uri


@pytest.fixture(scope="module", autouse=True)
def _opened_by_uri() -> Iterator[None]:
    """Open tables in memory by their URIs.

    No thread renews heartbeats or publishes writes, because thousands of writers are killed.
    """
    with pytest.MonkeyPatch.context() as patch, opened_by_uri():
        patch.setattr(Heartbeat, "__attrs_post_init__", lambda self: None)
        patch.setattr(HeldWrite, "_start_timer", without_timer)
        yield
