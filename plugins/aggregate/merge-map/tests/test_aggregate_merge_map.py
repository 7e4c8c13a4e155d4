"""The aggregate function `merge-map`: the entries of all maps."""

from __future__ import annotations

from typing import Any

from hoodoo.testing import AggregateSuite


class TestMergeMap(AggregateSuite):
    plugin = "merge-map"

    def by_hand(self, older: Any, newer: Any) -> Any:
        """Return the expected map; a map is a list of pairs of key and value, or None for null."""
        if older is None or newer is None:
            return newer if older is None else older
        return [*((key, value) for key, value in older if key not in dict(newer)), *newer]

    def retracted_by_hand(self, older: Any, newer: Any) -> Any:
        if older is None:
            return None
        return [(key, value) for key, value in older if key not in dict(newer or [])]
