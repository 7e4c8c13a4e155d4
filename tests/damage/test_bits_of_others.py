"""Parts of other Parquet files with single flipped bits: see `test_bits_of_base_files.py`."""

from __future__ import annotations

import pytest

from tests.damage.made_tables.kinds import EVERY_BIT

pytestmark = pytest.mark.slow


@pytest.mark.scaled
@pytest.mark.parametrize("kind", sorted(EVERY_BIT.keys() - {"base files"}))
def test_every_bit(kind, case_of):
    case_of(EVERY_BIT[kind]).try_every_bit(least=500)
