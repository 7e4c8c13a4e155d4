"""The aggregate function `bool-or`: true where any value is true."""

from __future__ import annotations

from hoodoo.testing import AggregateSuite


class TestBoolOr(AggregateSuite):
    plugin = "bool-or"

    def by_hand(self, older: bool | None, newer: bool | None) -> bool | None:
        values = [value for value in (older, newer) if value is not None]
        return any(values) if values else None
