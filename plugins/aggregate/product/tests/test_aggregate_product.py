"""The aggregate function `product`: exact products."""

from __future__ import annotations

from typing import ClassVar

from hoodoo.testing import AggregateSuite


class TestProduct(AggregateSuite):
    plugin = "product"
    values: ClassVar = {"decimal(12,3)": (None, 1, 2, 0, -3)}
    """A product of decimals is rounded, and which products are rounded depends on the order of the multiplications."""


class TestProductOfIntegers(AggregateSuite):
    plugin = "product"
    types = ("long",)

    def by_hand(self, older: int | None, newer: int | None) -> int | None:
        if older is None or newer is None:
            return newer if older is None else older
        return older * newer
