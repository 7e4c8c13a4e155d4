"""A small base file with each of its bits flipped; the test is a module of its own, so that it runs beside others."""

from __future__ import annotations

import pytest

from .kinds import EVERY_BIT

pytestmark = pytest.mark.slow


def test_every_bit_of_a_base_file(case_of):
    counts = case_of(EVERY_BIT["base files"]).try_every_bit()
    assert min(counts.values()) > 5000
