"""Common base of the suites of plugins that return a value per row: key generators, delete rules, functions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from hoodoo.testing.checks.generated import each_drawn, fail, with_faults_reported
from hoodoo.testing.checks.instrumented_rule import unconvertible
from hoodoo.testing.checks.work_checks import check_no_loop, check_no_objects, repeated
from hoodoo.testing.suites.plugin_suite import Suite

__all__ = ["AnswerSuite"]

_DRAWN = 2
"""The number of rounds of random tables, each with `EXAMPLES` tables."""


class AnswerSuite(Suite):
    """Base of suites whose plugins return arrays with one value per row of a table.

    Attributes:
        vectorised: False for a plugin that works row by row.
        not_vectorised_because: The reason for working row by row, which an official plugin must state.
    """

    vectorised: ClassVar[bool] = True
    not_vectorised_because: ClassVar[str] = ""

    @abstractmethod
    def called(self, plugin: Any, table: pa.Table) -> list[Any]:
        """Return the arrays that the plugin computes for a table."""

    @abstractmethod
    def guarded(self, plugin: Any) -> Any:
        """Return the plugin, wrapped in the checks that a write applies to its results."""

    @abstractmethod
    def tables(self) -> Iterator[pa.Table]:
        """Yield tables that together have all test values."""

    @abstractmethod
    def drawn(self) -> st.SearchStrategy[pa.Table]:
        """Return a strategy for tables with few rows."""

    def test_answers_fit_the_rows(self) -> None:
        """Test that each row has one answer of the right type, with the checks of a write."""
        self._each_table(self._answers)

    def test_rows_do_not_see_each_other(self) -> None:
        """Test that each row alone, and all rows in reverse order, get the same answers."""

        def check(table: pa.Table) -> None:
            places = list(range(table.num_rows))
            at_once = ("for all rows at once", self._answers(table))
            alone = [answer for place in places for answer in self._answers(table.slice(place, 1))]
            turned = self._answers(table.take(places[::-1]))[::-1]
            self._same(table, at_once, ("for each row alone", alone))
            self._same(table, at_once, ("in reverse order", turned))

        self._each_table(check)

    def test_same_input_gives_same_answer(self) -> None:
        """Test that a second call and a new instance give the same answers."""
        used = self.made()

        def check(table: pa.Table) -> None:
            first = ("the first time", self._answers(table, used))
            self._same(table, first, ("the second time", self._answers(table, used)))
            self._same(table, first, ("by a new instance", self._answers(table)))

        self._each_table(check)

    def test_input_is_not_changed(self) -> None:
        """Test that the plugin does not change the table."""

        def check(table: pa.Table) -> None:
            before = repr(table.to_pydict())
            self._answers(table)
            after = repr(table.to_pydict())
            if after != before:
                fail(f"{self.label} changes its input", [("from", before), ("to", after)])

        self._each_table(check)

    def test_runs_vectorised(self) -> None:
        """Test that the plugin does not run more lines of Python if the rows are repeated.

        A plugin with `vectorised = False` is not tested; an official one must state the reason.
        """
        if not self.vectorised:
            if self.is_builtin() and not self.not_vectorised_because.strip():
                fail(
                    f"{self.label} works row by row",
                    [],
                    "A built-in states the reason: not_vectorised_because = 'reason'.",
                )
            pytest.skip(self.not_vectorised_because or "it works row by row")
        plugin = self.made()

        def check(table: pa.Table) -> None:
            many = repeated(table)
            check_no_loop(self.label, "rows", lambda: self.called(plugin, table), lambda: self.called(plugin, many))

        with self.errors_reported():
            self._each_table(check)

    def makes_no_python_objects(self, what: str) -> None:
        """Check that strings, dates and timestamps are not converted to Python objects.

        Args:
            what: The name of the called methods, for messages.
        """
        if not self.vectorised:
            pytest.skip(self.not_vectorised_because or "it works row by row")
        with self.errors_reported():
            for table in self.tables():
                poisoned = unconvertible(table)
                check_no_objects(self.label, what, partial(self.called, self.made(), poisoned))

    def _answers(self, table: pa.Table, plugin: Any = None) -> list[Any]:
        arrays = self.called(self.guarded(self.made() if plugin is None else plugin), table)
        return list(zip(*(array.tolist() for array in arrays), strict=True))

    def _each_table(self, check: Callable[[pa.Table], Any]) -> None:
        """Run a check on the tables with all test values, and on random tables."""
        for table in self.tables():
            with_faults_reported(check)(table)
        each_drawn([self.drawn()] * _DRAWN, check)

    def _same(self, table: pa.Table, one: tuple[str, list[Any]], other: tuple[str, list[Any]]) -> None:
        for row, left, right in zip(table.to_pylist(), one[1], other[1], strict=True):
            if repr(left) != repr(right):  # compared as text because NaN is not equal to itself
                lines = [("row", row), (one[0], left), (other[0], right)]
                fail(f"{self.label} gives another answer {other[0]} than {one[0]}", lines)
