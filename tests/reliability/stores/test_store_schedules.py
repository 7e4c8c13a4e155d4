"""A few schedules of writers, services and readers of one table in S3, Azure, GCS and HDFS, see `run_history`.

`HOODOO_STORE_SCHEDULES` is the number of schedules, and `HOODOO_FIRST_SCHEDULE` the first seed.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest
from attrs import evolve

from tests.reliability.several_writers.histories import run_history

from .stored_files import Store

pytestmark = pytest.mark.slow

COUNT = int(os.environ.get("HOODOO_STORE_SCHEDULES", "4"))
FIRST = int(os.environ.get("HOODOO_FIRST_SCHEDULE", "0"))


def test_schedules(store: Store) -> None:
    shared = evolve(store, is_shared=True)
    seen: Counter[str] = Counter()
    for seed in range(FIRST, FIRST + COUNT):
        history = run_history(seed, shared.new_table)
        seen.update(commits=len(history.happened), reads=history.reads, conflicts=history.conflicts)
    assert seen["commits"] > COUNT
