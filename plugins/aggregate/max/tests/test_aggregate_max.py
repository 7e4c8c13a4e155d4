"""The aggregate function `max`: the largest value."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
from hoodoo_aggregate_max import Max

from hoodoo.testing import AggregateSuite


class TestMax(AggregateSuite):
    plugin = "max"
    types = ("long", "string")

    def by_hand(self, older: Any, newer: Any) -> Any:
        return max((value for value in (older, newer) if value is not None), default=None)


class TestMaxOfEveryType(AggregateSuite):
    plugin = "max"


def test_nan_is_the_largest_number() -> None:
    older, newer = pa.array([math.nan, 1.0]), pa.array([1.0, math.nan])

    assert all(math.isnan(value) for value in Max().add(older, newer).to_pylist())
