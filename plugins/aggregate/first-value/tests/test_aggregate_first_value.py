"""The aggregate function `first-value`: the first value, which may be null."""

from __future__ import annotations

from typing import Any

from hoodoo.testing import AggregateSuite


class TestFirstValue(AggregateSuite):
    plugin = "first-value"

    def by_hand(self, older: Any, newer: Any) -> Any:
        return older
