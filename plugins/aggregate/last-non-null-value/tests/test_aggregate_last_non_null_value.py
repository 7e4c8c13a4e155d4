"""The aggregate function `last-non-null-value`: the last value that is not null."""

from __future__ import annotations

from typing import Any

from hoodoo.testing import AggregateSuite


class TestLastNonNullValue(AggregateSuite):
    plugin = "last-non-null-value"

    def by_hand(self, older: Any, newer: Any) -> Any:
        return older if newer is None else newer

    def retracted_by_hand(self, older: Any, newer: Any) -> Any:
        return older if newer is None else None
