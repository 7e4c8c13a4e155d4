"""Parts of other Parquet files with each of their bits flipped."""

from __future__ import annotations

import pytest

from .kinds import EVERY_BIT, STEP

pytestmark = pytest.mark.slow


@pytest.mark.scaled
@pytest.mark.parametrize("kind", sorted(EVERY_BIT.keys() - {"base files"}))
def test_every_bit(kind, case_of):
    counts = case_of(EVERY_BIT[kind]).try_every_bit(STEP)
    assert min(counts.values()) > 500 / STEP
