"""What the suites share whose plugins answer for each row of a table: key generators, delete rules, functions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from hoodoo.testing.checks.generated import each_drawn, fail, faults_told
from hoodoo.testing.checks.instrumented_rule import unconvertible
from hoodoo.testing.checks.work_checks import check_no_loop, check_no_objects, repeated
from hoodoo.testing.suites.plugin_suite import Suite

__all__ = ["AnswerSuite"]

_DRAWN = 2
"""How many times more random tables than rules get histories: they cost little."""


class AnswerSuite(Suite):
    """A plugin answers with arrays that have a value for each row of a table.

    Attributes:
        vectorised: False for a plugin that works row by row.
        not_vectorised_because: Why it does.
    """

    vectorised: ClassVar[bool] = True
    not_vectorised_because: ClassVar[str] = ""

    @abstractmethod
    def called(self, plugin: Any, table: pa.Table) -> list[Any]:
        """The arrays that the plugin answers with."""

    @abstractmethod
    def guarded(self, plugin: Any) -> Any:
        """The plugin with the checks that a write has around it."""

    @abstractmethod
    def tables(self) -> Iterator[pa.Table]:
        """Tables that together have all that the plugin is tried with."""

    @abstractmethod
    def drawn(self) -> st.SearchStrategy[pa.Table]:
        """Random tables of few rows."""

    def test_answers_fit_the_rows(self) -> None:
        """One answer for each row, of the right type; checked as in a write."""
        self._each_table(self._answers)

    def test_rows_do_not_see_each_other(self) -> None:
        """Each row alone, and all in reverse order, get the same answers."""

        def check(table: pa.Table) -> None:
            places = list(range(table.num_rows))
            at_once = ("all rows at once", self._answers(table))
            alone = [answer for place in places for answer in self._answers(table.slice(place, 1))]
            turned = self._answers(table.take(places[::-1]))[::-1]
            self._same(table, at_once, ("each row alone", alone))
            self._same(table, at_once, ("in reverse order", turned))

        self._each_table(check)

    def test_same_input_gives_same_answer(self) -> None:
        """The second time, and from a new instance."""
        used = self.made()

        def check(table: pa.Table) -> None:
            first = ("the first time", self._answers(table, used))
            self._same(table, first, ("the second time", self._answers(table, used)))
            self._same(table, first, ("by a new instance", self._answers(table)))

        self._each_table(check)

    def test_input_is_not_changed(self) -> None:
        """The table is the same afterwards."""

        def check(table: pa.Table) -> None:
            before = repr(table.to_pydict())
            self._answers(table)
            after = repr(table.to_pydict())
            if after != before:
                fail(f"{self.label} changes its input", [("from", before), ("to", after)])

        self._each_table(check)

    def test_runs_vectorised(self) -> None:
        """The same values many times over cost no more lines of Python than once."""
        if not self.vectorised:
            if self.is_builtin() and not self.not_vectorised_because.strip():
                fail(f"{self.label} works row by row", [], "A built-in says why: not_vectorised_because = 'reason'.")
            pytest.skip(self.not_vectorised_because or "it works row by row")
        plugin = self.made()

        def check(table: pa.Table) -> None:
            many = repeated(table)
            check_no_loop(self.label, "rows", lambda: self.called(plugin, table), lambda: self.called(plugin, many))

        self._each_table(check)

    def makes_no_python_objects(self, what: str) -> None:
        """Of texts that cannot be made into them."""
        if not self.vectorised:
            pytest.skip(self.not_vectorised_because or "it works row by row")
        for table in self.tables():
            poisoned = unconvertible(table)
            check_no_objects(self.label, what, partial(self.called, self.made(), poisoned))

    def _answers(self, table: pa.Table, plugin: Any = None) -> list[Any]:
        arrays = self.called(self.guarded(self.made() if plugin is None else plugin), table)
        return list(zip(*(array.tolist() for array in arrays), strict=True))

    def _each_table(self, check: Callable[[pa.Table], Any]) -> None:
        """Run a check on a table for each type of column, which has all its values, and on random ones."""
        for table in self.tables():
            faults_told(check)(table)
        each_drawn([self.drawn()] * _DRAWN, check)

    def _same(self, table: pa.Table, one: tuple[str, list[Any]], other: tuple[str, list[Any]]) -> None:
        for row, left, right in zip(table.to_pylist(), one[1], other[1], strict=True):
            if repr(left) != repr(right):  # NaN is NaN
                lines = [("row", row), (one[0], left), (other[0], right)]
                fail(f"{self.label} answers otherwise {other[0]} than {one[0]}", lines)
