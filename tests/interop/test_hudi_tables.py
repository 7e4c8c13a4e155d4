"""What Hudi wrote, read by hoodoo: every query returns what the same query returns in Hudi, in every row and column."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import hoodoo

from .comparing import difference, parquet_table
from .known import DIFFERENT
from .story import Reading, Story, Told
from .tables import STORIES

pytestmark = pytest.mark.interop


@pytest.mark.parametrize("name", STORIES)
def test_hoodoo_reads_what_hudi_reads(name: str, perform_story: Callable[[Story], Told]) -> None:
    story = STORIES[name]
    performed = perform_story(story)
    differences = {}
    for query, (reading, hudis) in performed.readings.items():
        found = compared(performed.table, reading, hudis)
        if found:
            differences[query] = found
    wanted = DIFFERENT.get(name, {})
    unknown = {query: found for query, found in differences.items() if query not in wanted}
    assert not unknown, "\n".join(f"{query}: {found}" for query, found in unknown.items())
    assert set(wanted) == set(differences), "what is known to differ is equal now"


def compared(table: Path, reading: Reading, hudis: Path | str) -> str:
    """What is different, nothing where both return the same rows or both refuse."""
    try:
        ours = hoodoo.Table(table).to_arrow(**reading.ours)
    except hoodoo.errors.HoodooError as error:
        return "" if isinstance(hudis, str) else f"hoodoo refuses: {type(error).__name__}: {error}"
    if isinstance(hudis, str):
        return f"Hudi refuses, hoodoo reads {ours.num_rows} rows: {hudis[:500]}"
    return difference(ours, parquet_table(hudis))
