"""Tables that Hudi wrote, read by hoodoo: every query returns the rows and columns that it returns in Hudi.

The exceptions are the known differences of `known.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .comparing import parquet_table, query_difference
from .known import DIFFERENT
from .story import PerformedStory, Story
from .tables import STORIES

pytestmark = pytest.mark.interop


@pytest.mark.parametrize("name", STORIES)
def test_hoodoo_reads_what_hudi_reads(name: str, perform_story: Callable[[Story], PerformedStory]) -> None:
    story = STORIES[name]
    performed = perform_story(story)
    differences = {}
    for query, (reading, hudis) in performed.readings.items():
        rows = hudis if isinstance(hudis, str) else parquet_table(hudis)
        found = query_difference(performed.table, reading.ours, rows)
        if found:
            differences[query] = found
    wanted = DIFFERENT.get(name, {})
    unknown = {query: found for query, found in differences.items() if query not in wanted}
    assert not unknown, "\n".join(f"{query}: {found}" for query, found in unknown.items())
    assert set(wanted) == set(differences), "a known difference has disappeared"
