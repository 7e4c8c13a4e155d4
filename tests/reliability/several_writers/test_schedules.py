"""Schedules of writers, services and readers: the history is serializable, snapshots do not change, nothing hangs."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from .histories import run_history

pytestmark = pytest.mark.slow

COUNT = int(os.environ.get("HOODOO_SCHEDULES", "60"))
FIRST = int(os.environ.get("HOODOO_FIRST_SCHEDULE", "0"))
SHARES = 8
"""Tests over which the schedules are divided, so that processes share them."""


@pytest.mark.scaled
@pytest.mark.parametrize("share", range(SHARES))
def test_schedules(share: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(FIRST + share, FIRST + COUNT, SHARES):
        history = run_history(seed)
        seen.update(commits=len(history.happened), reads=history.reads, conflicts=history.conflicts)
    # schedules without conflicts prove nothing
    assert min(seen["commits"], seen["reads"]) > COUNT / SHARES
    assert seen["conflicts"] > COUNT / SHARES / 10
