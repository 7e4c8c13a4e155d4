"""The aggregate function `sum`: exact sums."""

from __future__ import annotations

from hoodoo.testing import AggregateSuite


class TestSum(AggregateSuite):
    plugin = "sum"
    types = ("int", "long")

    def by_hand(self, older: int | None, newer: int | None) -> int | None:
        return None if older is None and newer is None else (older or 0) + (newer or 0)

    def retracted_by_hand(self, older: int | None, newer: int | None) -> int | None:
        return older if newer is None else (older or 0) - newer


class TestSumOfEveryType(AggregateSuite):
    plugin = "sum"
