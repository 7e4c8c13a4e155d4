"""The suite of aggregate functions: claimed laws, and what every function owes to the columns that it works on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st

from hoodoo.aggregates import ColumnFunction
from hoodoo.errors import DataError, PluginError
from hoodoo.plugin.base import BaseAggregateFunction
from hoodoo.plugin.completion import completed, defines
from hoodoo.record import Law
from hoodoo.schema.columns import one_array
from hoodoo.testing.checks.generated import fail
from hoodoo.testing.data.type_names import arrow_table, arrow_type
from hoodoo.testing.data.value_pools import ALL_TYPES, pool
from hoodoo.testing.laws.equations import differ
from hoodoo.testing.laws.function_laws import LAWS_OF_VALUES, check_function_law
from hoodoo.testing.suites.row_answers import AnswerSuite

__all__ = ["AggregateSuite"]

METHODS = {("older", "newer"): "add", ("older", "taken back"): "retract", ("incoming",): "prepare"}
"""The methods of a function by the columns of the tables that they are tried with."""
HANDS = {"add": "by_hand", "retract": "taken_back_by_hand"}
_MOST_ROWS = 5


class AggregateSuite(AnswerSuite):
    """Tests of an aggregate function: derive a class `Test...` from it and set `plugin`.

    Attributes:
        types: Types of columns to try it with, as merge vectors name them; those that it accepts are.
        values: Values of a type, by its name, where not any of the type will do; the plainest first.
    """

    family = "aggregate"
    types: ClassVar[Sequence[str]] = tuple(ALL_TYPES.values())
    values: ClassVar[Mapping[str, Sequence[Any]]] = {}
    _tables: ClassVar[list[pa.Table]]

    def by_hand(self, older: Any, newer: Any) -> Any:
        """The function on two Python values, null is None; the test may give it, and it must agree."""
        return NotImplemented

    def taken_back_by_hand(self, older: Any, newer: Any) -> Any:
        """As `by_hand`, what `retract` leaves of the older value."""
        return NotImplemented

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One test per claimed law."""
        for argument, attribute in (("law", "laws"), ("law_of_retraction", "laws_of_retraction")):
            if argument in metafunc.fixturenames:
                laws = sorted(self._claims(attribute), key=lambda law: law.name)
                metafunc.parametrize(argument, laws, ids=[law.name for law in laws])

    def test_accepts_some_type(self) -> None:
        """Without one nothing else is tested."""
        if not self._accepted():
            fail(
                f"{self.label} accepts none of the types that it is tried with",
                [("types", ", ".join(self.types))],
                "Name one that it accepts in the test: types = ('array<long>',).",
            )

    def test_claims_laws_of_values(self) -> None:
        """The other laws are about rows, and those of retraction need a method `retract`."""
        wrong = [law.name for law in (self._claims("laws") | self._claims("laws_of_retraction")) - LAWS_OF_VALUES]
        if wrong:
            fail(f"{self.label} claims laws that values cannot have", [("laws", ", ".join(sorted(wrong)))])
        if self._claims("laws_of_retraction") and not self.guarded(self.made()).retracts:
            fail(f"{self.label} claims laws_of_retraction, and has no method retract", [])

    def test_law(self, law: Law) -> None:
        """A claimed law holds for every three of a few values, nulls among them, of every type."""
        self._check_law(law, deletes=False)

    def test_law_of_retraction(self, law_of_retraction: Law) -> None:
        """As `test_law`, where some of the versions are deletes that take their values back."""
        self._check_law(law_of_retraction, deletes=True)

    def test_agrees_with_by_hand(self) -> None:
        """Where the test gives `by_hand` or `taken_back_by_hand`."""
        hands = {
            method: getattr(self, hand)
            for method, hand in HANDS.items()
            if getattr(type(self), hand) is not getattr(AggregateSuite, hand)
        }
        if not hands:
            pytest.skip("the test gives no by_hand")

        def check(table: pa.Table) -> None:
            hand = hands.get(_method(table))
            if hand is None:
                return
            [answers] = self.called(self.guarded(self.made()), table)
            rows = table.to_pylist()
            expected = pa.array([hand(*row.values()) for row in rows], answers.type)
            for row in np.flatnonzero(differ(answers, expected)).tolist():
                lines = [("the function", answers[row].as_py()), ("by hand", expected[row].as_py())]
                fail(f"{self.label} answers otherwise than by hand", [*rows[row].items(), *lines])

        self._each_table(check)

    def test_makes_no_python_objects(self) -> None:
        """Of texts that cannot be made into them."""
        self.makes_no_python_objects("its methods")

    def called(self, plugin: Any, table: pa.Table) -> list[Any]:
        """What the method makes of the values that the table is made for."""
        return [getattr(plugin, _method(table))(*map(one_array, table.columns))]

    def guarded(self, plugin: Any) -> ColumnFunction:
        """Checked answers."""
        return ColumnFunction("value", self.plugin, plugin, plugin=self.loaded().info)

    def tables(self) -> Iterator[pa.Table]:
        """Every two values of each type that it accepts, but for those that it refuses with a `DataError`."""
        if "_tables" not in vars(type(self)):
            function = completed(self.made(), BaseAggregateFunction)
            has = [method for method in METHODS.values() if defines(function, BaseAggregateFunction, method)]
            names = [names for names, method in METHODS.items() if method in has]
            tables = [self._table(type_, columns) for type_ in self._accepted() for columns in names]
            type(self)._tables = [table for table in tables if table.num_rows]
        yield from self._tables

    def drawn(self) -> st.SearchStrategy[pa.Table]:
        """A few of these rows, in any order."""

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
        # each is tried in a table of its own: a function may change what it is handed
        return arrow_table([row for row in rows if self._takes(function, arrow_table([row], types))], types)

    def _takes(self, function: ColumnFunction, table: pa.Table) -> bool:
        try:
            self.called(function, table)
        except DataError:
            return False
        except PluginError:
            pass  # the tests tell of it
        return True

    def _claims(self, attribute: str) -> frozenset[Law]:
        try:
            function = completed(self.made(), BaseAggregateFunction)
            return frozenset(function.laws if attribute == "laws" else function.laws_of_retraction)
        except PluginError:  # test_is_found_by_its_name says what is wrong
            return frozenset()

    def _check_law(self, law: Law, *, deletes: bool) -> None:
        if law not in LAWS_OF_VALUES:
            pytest.skip("no law of values: test_claims_laws_of_values says so")
        function = self.guarded(self.made())
        tried = [
            check_function_law(self.label, function, law, type_, self._values(type_), deletes=deletes)
            for type_ in self._accepted()
        ]
        if not any(tried):
            fail(
                f"{self.label} claims {law.name}, and refuses whatever it is tried with",
                [("types", ", ".join(self._accepted()) or "none that it accepts")],
                "Give values that it takes in the test: values = {'long': (None, 1, 2)}.",
            )


def _method(table: pa.Table) -> str:
    return METHODS[tuple(table.column_names)]
