"""A small base file with single flipped bits: those of every seventh byte, or of every `HOODOO_EVERY_BYTE`-th byte.

The test is in a separate module, so that it runs in parallel with others.
"""

from __future__ import annotations

import pytest

from tests.damage.made_tables.kinds import EVERY_BIT

pytestmark = pytest.mark.slow


@pytest.mark.scaled
def test_every_bit_of_a_base_file(case_of):
    case_of(EVERY_BIT["base files"]).try_every_bit(least=5000)
