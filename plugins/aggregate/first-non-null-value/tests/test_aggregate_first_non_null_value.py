"""The aggregate function `first-non-null-value`: the first value that is not null."""

from __future__ import annotations

from typing import Any

from hoodoo.testing import AggregateSuite


class TestFirstNonNullValue(AggregateSuite):
    plugin = "first-non-null-value"

    def by_hand(self, older: Any, newer: Any) -> Any:
        return newer if older is None else older
