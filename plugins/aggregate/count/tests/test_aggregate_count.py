"""The aggregate function `count`: values that are not null are counted."""

from __future__ import annotations

import pyarrow as pa
from hoodoo_aggregate_count import Count

from hoodoo.testing import AggregateSuite


class TestCount(AggregateSuite):
    plugin = "count"

    def by_hand(self, older: int | None, newer: int | None) -> int | None:
        return None if older is None and newer is None else (older or 0) + (newer or 0)


def test_each_value_that_is_not_null_counts_as_one() -> None:
    assert Count().prepare(pa.array([7, None, 0], pa.int32())).to_pylist() == [1, 0, 1]
