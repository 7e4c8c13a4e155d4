"""The aggregate function `collect`: the items of all lists."""

from __future__ import annotations

from typing import Any, ClassVar

from hoodoo.testing import AggregateSuite


class TestCollect(AggregateSuite):
    plugin = "collect"

    def by_hand(self, older: list[Any] | None, newer: list[Any] | None) -> list[Any] | None:
        return None if older is None and newer is None else [*(older or []), *(newer or [])]


class TestCollectDistinct(AggregateSuite):
    plugin = "collect"
    options: ClassVar = {"distinct": True}
