"""The suites of key generators and delete rules: plugins that answer for each row of a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from hoodoo.merge.guard import GuardedDeleteRule, GuardedKeyGenerator
from hoodoo.record import DeleteContext, KeyConfig
from hoodoo.record.deletes import FLAG_COLUMN, OPERATION_COLUMN
from hoodoo.testing.answers import AnswerSuite
from hoodoo.testing.pools import pool
from hoodoo.testing.types import arrow_table, arrow_type

__all__ = ["DeleteRuleSuite", "KeyGeneratorSuite"]

_KEY_TYPES = ("string", "long", "int", "boolean", "date", "timestamp", "double", "decimal(12,3)")
_MOST_ROWS = 5


class ColumnSuite(AnswerSuite):
    """What the suites of key generators and delete rules share.

    Attributes:
        columns: Columns that the plugin looks at, with their types as merge vectors name them.
        values: Values of columns where not any of the type will do.
    """

    columns: ClassVar[Mapping[str, str]] = {}
    values: ClassVar[Mapping[str, Sequence[Any]]] = {}

    @abstractmethod
    def choices(self) -> Mapping[str, list[tuple[str, Sequence[Any]]]]:
        """What each column may be: a type with its values."""

    def tables(self) -> Iterator[pa.Table]:
        """One for each type of a column, with all its values."""
        choices = self.choices()
        for turn in range(max(map(len, choices.values()))):
            chosen = {name: types[turn % len(types)] for name, types in choices.items()}
            length = max(len(values) for _, values in chosen.values())
            rows = [{name: values[row % len(values)] for name, (_, values) in chosen.items()} for row in range(length)]
            yield arrow_table(rows, {name: type_ for name, (type_, _) in chosen.items()})

    def drawn(self) -> st.SearchStrategy[pa.Table]:
        """Columns of random types."""

        @st.composite
        def tables(draw: st.DrawFn) -> pa.Table:
            chosen = {name: draw(st.sampled_from(types)) for name, types in self.choices().items()}
            columns = {name: st.sampled_from(list(values)) for name, (_, values) in chosen.items()}
            rows = draw(st.lists(st.fixed_dictionaries(columns), min_size=1, max_size=_MOST_ROWS))
            return arrow_table(rows, {name: type_ for name, (type_, _) in chosen.items()})

        return tables()

    def _choice(self, name: str, type_: str) -> tuple[str, Sequence[Any]]:
        return type_, self.values[name] if name in self.values else pool(arrow_type(type_))


class KeyGeneratorSuite(ColumnSuite):
    """Tests of a key generator: derive a class `Test...` from it and set `plugin`.

    Attributes:
        config: The record key columns, the partition columns, and how they are written. A column that `columns` does
            not name is tried with several types.
    """

    family = "keygen"
    config: ClassVar[KeyConfig] = KeyConfig(("id",), ("part",))

    def called(self, plugin: Any, table: pa.Table) -> list[Any]:
        """Record keys and partition paths."""
        return [plugin.record_keys(table, self.config), plugin.partition_paths(table, self.config)]

    def guarded(self, plugin: Any) -> GuardedKeyGenerator:
        """Checked answers."""
        return GuardedKeyGenerator(plugin, self.label)

    def choices(self) -> Mapping[str, list[tuple[str, Sequence[Any]]]]:
        """Keys have values; a partition may be null."""
        found = {}
        for name in dict.fromkeys([*self.config.record_key, *self.config.partition_by, *self.columns]):
            types = [self.columns[name]] if name in self.columns else _KEY_TYPES
            choices = [self._choice(name, type_) for type_ in types]
            found[name] = [_filled(choice) for choice in choices] if name in self.config.record_key else choices
        return found


class DeleteRuleSuite(ColumnSuite):
    """Tests of a delete rule: derive a class `Test...` from it and set `plugin`.

    Attributes:
        context: The options `hoodie.payload.delete.field` and `.marker`.
    """

    family = "delete"
    columns: ClassVar[Mapping[str, str]] = {FLAG_COLUMN: "boolean", OPERATION_COLUMN: "string"}
    values: ClassVar[Mapping[str, Sequence[Any]]] = {OPERATION_COLUMN: (None, "I", "-U", "U", "D", "d")}
    context: ClassVar[DeleteContext] = DeleteContext()

    def called(self, plugin: Any, table: pa.Table) -> list[Any]:
        """Which rows are deletes."""
        return [plugin.is_delete(table, self.context)]

    def guarded(self, plugin: Any) -> GuardedDeleteRule:
        """Checked answers."""
        return GuardedDeleteRule(plugin, self.label)

    def choices(self) -> Mapping[str, list[tuple[str, Sequence[Any]]]]:
        """The columns of the rule, and one that it has no business with."""
        return {name: [self._choice(name, type_)] for name, type_ in {"text": "string", **self.columns}.items()}

    def test_row_without_the_columns_is_no_delete(self) -> None:
        """A batch may lack a column that the table has."""
        table = pa.table({name: [value] for name, value in (("id", "1"), ("text", "a")) if name not in self.columns})
        [answer] = self._answers(table)

        assert answer == (False,), "a row without the columns that the rule looks at is no delete"

    def test_needs_are_enough(self) -> None:
        """A rule that says which columns it needs answers alike when it is given no others."""
        plugin = self.made()
        if not hasattr(plugin, "needs"):
            pytest.skip(f"{self.label} has no method needs: it is always given whole rows")

        def check(table: pa.Table) -> None:
            named = {name.partition(".")[0] for name in plugin.needs(table.schema, self.context)}
            kept = [name for name in table.column_names if name in named]
            # a table without columns has no rows
            pruned = table.select(kept or ["text"])
            whole = ("with all columns", self._answers(table))
            self._same(table, whole, (f"with only {', '.join(kept) or 'none of its own'}", self._answers(pruned)))

        self._each_table(check)

    def test_makes_no_python_objects(self) -> None:
        """Of texts that cannot be made into them."""
        self.makes_no_python_objects("is_delete")


def _filled(choice: tuple[str, Sequence[Any]]) -> tuple[str, Sequence[Any]]:
    type_, values = choice
    return type_, [value for value in values if value is not None and value != ""]
