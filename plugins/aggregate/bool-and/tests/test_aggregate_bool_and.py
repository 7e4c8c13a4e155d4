"""The aggregate function `bool-and`: true only where every value is true."""

from __future__ import annotations

from hoodoo.testing import AggregateSuite


class TestBoolAnd(AggregateSuite):
    plugin = "bool-and"

    def by_hand(self, older: bool | None, newer: bool | None) -> bool | None:
        values = [value for value in (older, newer) if value is not None]
        return all(values) if values else None
