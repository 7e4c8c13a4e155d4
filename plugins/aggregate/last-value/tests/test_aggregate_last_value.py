"""The aggregate function `last-value`: the last value, which may be null."""

from __future__ import annotations

from typing import Any

from hoodoo.testing import AggregateSuite


class TestLastValue(AggregateSuite):
    plugin = "last-value"

    def by_hand(self, older: Any, newer: Any) -> Any:
        return newer

    def retracted_by_hand(self, older: Any, newer: Any) -> Any:
        return None
