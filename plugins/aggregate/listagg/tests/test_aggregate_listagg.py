"""The aggregate function `listagg`: texts joined by a delimiter."""

from __future__ import annotations

from typing import ClassVar

from hoodoo.testing import AggregateSuite

SPACE = " \t\n\v\f\r"


class TestListagg(AggregateSuite):
    plugin = "listagg"

    def by_hand(self, older: str | None, newer: str | None) -> str | None:
        if newer is None or not newer.strip(SPACE):
            return newer if older is None else older
        return newer if older is None or not older.strip(SPACE) else f"{older},{newer}"


class TestListaggDistinct(AggregateSuite):
    plugin = "listagg"
    options: ClassVar = {"distinct": True, "delimiter": ";"}
