"""The aggregate function `min`: the smallest value."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
from hoodoo_aggregate_min import Min

from hoodoo.testing import AggregateSuite


class TestMin(AggregateSuite):
    plugin = "min"
    types = ("long", "string")

    def by_hand(self, older: Any, newer: Any) -> Any:
        return min((value for value in (older, newer) if value is not None), default=None)


class TestMinOfEveryType(AggregateSuite):
    plugin = "min"


def test_nan_is_the_largest_number() -> None:
    older, newer = pa.array([math.nan, 1.0]), pa.array([1.0, math.nan])

    assert Min().add(older, newer).to_pylist() == [1.0, 1.0]
