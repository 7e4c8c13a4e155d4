"""The built-in functions pass the suite of the kit: their claims hold for all types that they accept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hoodoo.aggregates import ColumnFunction, column_function, uses_of
from hoodoo.aggregates.choose import FUNCTIONS
from hoodoo.testing import AggregateSuite, replaces

WHOLE = {"decimal(12,3)": (None, 1, 2, 0, -3)}
"""A product of decimals is rounded, and which products are rounded depends on which values meet first."""

TRIED: Mapping[str, Mapping[str, Any]] = {
    **{name: {} for name in FUNCTIONS},
    "product": {"values": WHOLE},
    "listagg distinct": {"options": {"distinct": True, "delimiter": ";"}},
    "collect distinct": {"options": {"distinct": True}},
}


class BuiltIn(AggregateSuite):
    def made(self) -> Any:
        return self._column_function().function

    def guarded(self, plugin: Any) -> ColumnFunction:
        return ColumnFunction("value", self.plugin, plugin)

    def is_builtin(self) -> bool:
        return True

    @replaces("it is built in, and no plugin")
    def test_is_found_by_its_name(self) -> None:
        assert self._column_function().plugin is None

    @replaces("it is built in, and is where the core is")
    def test_travels_to_an_executor(self) -> None:
        assert uses_of([self._column_function()]) == ()

    def _column_function(self) -> ColumnFunction:
        return column_function("value", {"agg": self.plugin, **self.options}, "")


for name, attributes in TRIED.items():
    title = "".join(word.capitalize() for word in name.replace("-", " ").split())
    globals()[f"Test{title}"] = type(f"Test{title}", (BuiltIn,), {"plugin": name.partition(" ")[0], **attributes})
