"""Test suite of aggregate functions: claimed laws, and the contract of all functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st

from hoodoo.errors import DataError, HoodooError, PluginError
from hoodoo.plugin.base import BaseAggregateFunction
from hoodoo.plugin.completion import completed, defines
from hoodoo.plugin.helpers.column_function import ColumnFunction
from hoodoo.record import Law
from hoodoo.schema.columns import one_array
from hoodoo.testing.checks.generated import fail
from hoodoo.testing.data.type_names import arrow_table, arrow_type
from hoodoo.testing.data.value_pools import ALL_TYPES, pool
from hoodoo.testing.laws.equations import differ
from hoodoo.testing.laws.function_laws import LAWS_OF_VALUES, check_function_law
from hoodoo.testing.suites.row_answers import AnswerSuite

__all__ = ["AggregateSuite"]

METHODS = {("older", "newer"): "add", ("older", "retracted"): "retract", ("incoming",): "prepare"}
"""The methods of a function by the columns of the tables that they are tested with."""
HANDS = {"add": "by_hand", "retract": "retracted_by_hand"}
_MOST_ROWS = 5


class AggregateSuite(AnswerSuite):
    """Tests of an aggregate function: derive a class `Test...` from it and set `plugin`.

    Attributes:
        types: The types of columns to test, in the notation of merge vectors. Types that the function does not accept
            are skipped.
        values: The values by type name, for types of which not all values can be used; plain values first.
    """

    family = "aggregate"
    types: ClassVar[Sequence[str]] = tuple(ALL_TYPES.values())
    values: ClassVar[Mapping[str, Sequence[Any]]] = {}
    _tables: ClassVar[list[pa.Table]]

    def by_hand(self, older: Any, newer: Any) -> Any:
        """Return the result for two Python values, None for null. A test may implement it as a reference."""
        return NotImplemented

    def retracted_by_hand(self, older: Any, newer: Any) -> Any:
        """Return the result of `retract` for two Python values, like `by_hand`."""
        return NotImplemented

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make one test per claimed law."""
        for argument, attribute in (("law", "laws"), ("law_of_retraction", "laws_of_retraction")):
            if argument in metafunc.fixturenames:
                laws = sorted(self._claims(attribute), key=lambda law: law.name)
                metafunc.parametrize(argument, laws, ids=[law.name for law in laws])

    def test_accepts_some_type(self) -> None:
        """Test that the function accepts one of `types`, because the other tests need such a type."""
        if not self._accepted():
            fail(
                f"{self.label} accepts none of the types of the test",
                [("types", ", ".join(self.types))],
                "Set a type that it accepts in the test: types = ('array<long>',).",
            )

    def test_claims_laws_of_values(self) -> None:
        """Test that only laws of values are claimed, and laws of retraction only with a method `retract`."""
        wrong = [law.name for law in (self._claims("laws") | self._claims("laws_of_retraction")) - LAWS_OF_VALUES]
        if wrong:
            fail(
                f"{self.label} claims laws that do not apply to values; remove them",
                [("laws", ", ".join(sorted(wrong)))],
            )
        if self._claims("laws_of_retraction") and not self.guarded(self.made()).retracts:
            fail(f"{self.label} claims laws_of_retraction, but has no method retract; add it, or remove the claim", [])

    def test_law(self, law: Law) -> None:
        """Test that a claimed law holds for all triples of a few values of each accepted type."""
        self._check_law(law, deletes=False)

    def test_law_of_retraction(self, law_of_retraction: Law) -> None:
        """Test a law of retraction like `test_law`, with deletes among the versions that retract their values."""
        self._check_law(law_of_retraction, deletes=True)

    def test_agrees_with_by_hand(self) -> None:
        """Test that the function agrees with `by_hand` and `retracted_by_hand`, if the test has them."""
        hands = {
            method: getattr(self, hand)
            for method, hand in HANDS.items()
            if getattr(type(self), hand) is not getattr(AggregateSuite, hand)
        }
        if not hands:
            pytest.skip("the test has no method by_hand")

        def check(table: pa.Table) -> None:
            hand = hands.get(_method(table))
            if hand is None:
                return
            [answers] = self.called(self.guarded(self.made()), table)
            rows = table.to_pylist()
            expected = pa.array([hand(*row.values()) for row in rows], answers.type)
            for row in np.flatnonzero(differ(answers, expected)).tolist():
                lines = [("the function", answers[row].as_py()), ("by hand", expected[row].as_py())]
                fail(f"{self.label} gives another result than {HANDS[_method(table)]}", [*rows[row].items(), *lines])

        self._each_table(check)

    def test_makes_no_python_objects(self) -> None:
        """Test that strings, dates and timestamps are not converted to Python objects."""
        self.makes_no_python_objects("its methods")

    def called(self, plugin: Any, table: pa.Table) -> list[Any]:
        """Return the result of the method that the columns of the table select."""
        return [getattr(plugin, _method(table))(*map(one_array, table.columns))]

    def guarded(self, plugin: Any) -> ColumnFunction:
        """Return the plugin, wrapped in the checks that a write applies to its results."""
        return ColumnFunction("value", self.loaded().info, plugin)

    def tables(self) -> Iterator[pa.Table]:
        """Yield a table for each accepted type and each method of the function.

        A table has all combinations of values, except those for which the method raises a `DataError`. A table without
        rows is left out.
        """
        if "_tables" not in vars(type(self)):
            function = completed(self.made(), BaseAggregateFunction)
            has = [method for method in METHODS.values() if defines(function, BaseAggregateFunction, method)]
            names = [names for names, method in METHODS.items() if method in has]
            tables = [self._table(type_, columns) for type_ in self._accepted() for columns in names]
            type(self)._tables = [table for table in tables if table.num_rows]
        yield from self._tables

    def drawn(self) -> st.SearchStrategy[pa.Table]:
        """Return a strategy for tables with a few rows of one of `tables()`, in any order."""

        @st.composite
        def tables(draw: st.DrawFn) -> pa.Table:
            table = draw(st.sampled_from(list(self.tables())))
            rows = st.lists(st.integers(0, table.num_rows - 1), min_size=1, max_size=_MOST_ROWS)
            return table.take(draw(rows)).combine_chunks()

        return tables()

    def _accepted(self) -> list[str]:
        function = self.made()
        return [type_ for type_ in self.types if function.accepts(arrow_type(type_))]

    def _values(self, type_: str) -> Sequence[Any]:
        return self.values[type_] if type_ in self.values else pool(arrow_type(type_))

    def _table(self, type_: str, names: tuple[str, ...]) -> pa.Table:
        combinations = product(self._values(type_), repeat=len(names))
        rows = [dict(zip(names, values, strict=True)) for values in combinations]
        types, function = dict.fromkeys(names, type_), self.guarded(self.made())
        # each row is tested in its own table because a function may change its input
        return arrow_table([row for row in rows if self._accepts_row(function, arrow_table([row], types))], types)

    def _accepts_row(self, function: ColumnFunction, table: pa.Table) -> bool:
        try:
            self.called(function, table)
        except DataError:
            return False
        except PluginError:
            pass  # reported by the tests
        return True

    def _claims(self, attribute: str) -> frozenset[Law]:
        try:
            function = completed(self.made(), BaseAggregateFunction)
            return frozenset(function.laws if attribute == "laws" else function.laws_of_retraction)
        except HoodooError:  # reported by test_is_found_by_its_name
            return frozenset()

    def _check_law(self, law: Law, *, deletes: bool) -> None:
        if law not in LAWS_OF_VALUES:
            pytest.skip("not a law of values, see test_claims_laws_of_values")
        function = self.guarded(self.made())
        tried = [
            check_function_law(self.label, function, law, type_, self._values(type_), deletes=deletes)
            for type_ in self._accepted()
        ]
        if not any(tried):
            fail(
                f"{self.label} claims {law.name}, but rejects all values of the test",
                [("types", ", ".join(self._accepted()) or "none that it accepts")],
                "Set values that it accepts in the test: values = {'long': (None, 1, 2)}.",
            )


def _method(table: pa.Table) -> str:
    return METHODS[tuple(table.column_names)]
