"""The aggregate function `product`: exact products."""

from __future__ import annotations

from typing import ClassVar

from hoodoo.testing import AggregateSuite


class TestProduct(AggregateSuite):
    plugin = "product"
    values: ClassVar = {"decimal(12,3)": (None, 1, 2, 0, -3)}
    """Whole numbers, whose products are exact: with rounding, a result would depend on the order of the factors."""


class TestProductOfIntegers(AggregateSuite):
    plugin = "product"
    types = ("long",)

    def by_hand(self, older: int | None, newer: int | None) -> int | None:
        if older is None or newer is None:
            return newer if older is None else older
        return older * newer
