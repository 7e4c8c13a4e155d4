"""Test suites of key generators and delete rules: plugins that return a value for each row of a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from hoodoo.errors import DataError
from hoodoo.keys import DEFAULT_PARTITION
from hoodoo.merge.adapters.read_rows import ReadRows
from hoodoo.merge.plugin_checks import GuardedDeleteRule, GuardedKeyGenerator
from hoodoo.plugin.base import BaseDeleteRule, BaseKeyGenerator
from hoodoo.plugin.completion import completed, defines
from hoodoo.record import DeleteContext, KeyConfig
from hoodoo.record.delete_markers import FLAG_COLUMN, OPERATION_COLUMN
from hoodoo.testing.checks.generated import fail
from hoodoo.testing.data.type_names import arrow_table, arrow_type
from hoodoo.testing.data.value_pools import pool
from hoodoo.testing.suites.row_answers import AnswerSuite

__all__ = ["DeleteRuleSuite", "KeyGeneratorSuite"]

_OF_KEYS, _OF_PATHS = "key_qualifiers", "path_qualifiers"
_MOST_COMBINATIONS = 10_000
_KEY_TYPES = ("string", "long", "int", "boolean", "date", "timestamp", "double", "decimal(12,3)")
_MOST_ROWS = 5


class ColumnSuite(AnswerSuite):
    """Common base of the suites of key generators and delete rules.

    Attributes:
        columns: The columns that the plugin reads, with their types in the notation of merge vectors.
        values: The values of columns that cannot have all values of their type.
    """

    columns: ClassVar[Mapping[str, str]] = {}
    values: ClassVar[Mapping[str, Sequence[Any]]] = {}

    @abstractmethod
    def choices(self) -> Mapping[str, list[tuple[str, Sequence[Any]]]]:
        """Return the possible types of each column, with their values."""

    def tables(self) -> Iterator[pa.Table]:
        """Yield tables that together have all types of each column, and all values of each type."""
        choices = self.choices()
        for turn in range(max(map(len, choices.values()))):
            chosen = {name: types[turn % len(types)] for name, types in choices.items()}
            length = max(len(values) for _, values in chosen.values())
            rows = [{name: values[row % len(values)] for name, (_, values) in chosen.items()} for row in range(length)]
            yield arrow_table(rows, {name: type_ for name, (type_, _) in chosen.items()})

    def drawn(self) -> st.SearchStrategy[pa.Table]:
        """Return a strategy for tables with columns of random types."""

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
        config: The record key columns, the partition columns, and their encoding. A column that `columns` does not name
            is tested with several types.
    """

    family = "keygen"
    config: ClassVar[KeyConfig] = KeyConfig(("id",), ("part",))

    def called(self, plugin: Any, table: pa.Table) -> list[Any]:
        """Return the record keys, the partition paths, and the qualifiers of both."""
        qualifiers = [_qualifiers(plugin, method, table, self.config) for method in (_OF_KEYS, _OF_PATHS)]
        return [plugin.record_keys(table, self.config), plugin.partition_paths(table, self.config), *qualifiers]

    def guarded(self, plugin: Any) -> GuardedKeyGenerator:
        """Return the plugin, wrapped in the checks that a write applies to its results."""
        return GuardedKeyGenerator(plugin, self.label)

    def choices(self) -> Mapping[str, list[tuple[str, Sequence[Any]]]]:
        """Return the types and values of the columns. Record key columns have neither null nor empty text."""
        found = {}
        for name in dict.fromkeys([*self.config.record_key, *self.config.partition_by, *self.columns]):
            types = [self.columns[name]] if name in self.columns else _KEY_TYPES
            choices = [self._choice(name, type_) for type_ in types]
            found[name] = [_filled(choice) for choice in choices] if name in self.config.record_key else choices
        return found

    def test_qualifiers_tell_keys_apart(self) -> None:
        """Test that a record key and its qualifier identify one tuple of values of the record key columns."""
        names = self.config.record_key
        separators = [f"a,{name}:b" for name in names]
        rows = self._tricky(names, ["a", "b", *separators, "__null__", "__empty__", "", None])
        some = [row for row in rows if any(row[name] not in (None, "") for name in names)]
        full = [row for row in some if None not in row.values() and "" not in row.values()]
        with self.errors_reported():
            try:
                self._check_distinct(_OF_KEYS, names, some)
            except DataError:  # the key generator rejects keys with a missing part
                self._check_distinct(_OF_KEYS, names, full)

    def test_qualifiers_tell_paths_apart(self) -> None:
        """Test that a path and its qualifier identify one tuple of partition values; null and empty text are equal."""
        if not self.guarded(self.made()).path_per_value:
            pytest.skip(f"{self.label} does not claim path_per_value: values may share a path on purpose")
        names = self.config.partition_by
        inside = [f"a/{name}=b" for name in names]
        rows = self._tricky(names, ["a", "b", "a/b", "b/a", "b-a", *inside, DEFAULT_PARTITION, "", None])
        with self.errors_reported():
            self._check_distinct(_OF_PATHS, names, [{n: row[n] or None for n in row} for row in rows])

    def _tricky(self, names: Sequence[str], texts: Sequence[str | None]) -> list[dict[str, Any]]:
        """Return rows with all combinations of values of the columns, or 10,000 rows if there are more.

        A string column has the texts and its `values`; a column of another type has up to four values.
        """
        choices = self.choices()
        values: list[Sequence[Any]] = []
        for name in names:
            given = self.values.get(name, ())
            is_text = "string" in dict(choices[name])
            values.append([*dict.fromkeys([*given, *texts])] if is_text else choices[name][0][1][:4])
        return [dict(zip(names, row, strict=True)) for row in islice(product(*values), _MOST_COMBINATIONS)]

    def _check_distinct(self, method: str, names: Sequence[str], rows: list[dict[str, Any]]) -> None:
        plugin = self.made()
        if not defines(completed(plugin, BaseKeyGenerator), BaseKeyGenerator, method):
            pytest.skip(f"{self.label} has no method {method}: values with the same text are one key or path")
        if not names:
            pytest.skip(f"{self.label} is tested without columns for this qualifier")
        choices = {name: "string" if "string" in dict(types) else types[0][0] for name, types in self.choices().items()}
        others = {name: self._choice(name, type_)[1][1] for name, type_ in choices.items() if name not in names}
        table = arrow_table([{**others, **row} for row in rows], choices)
        guarded = self.guarded(plugin)
        encode = guarded.record_keys if method == _OF_KEYS else guarded.partition_paths
        found: dict[Any, dict[str, Any]] = {}
        qualifiers = _qualifiers(guarded, method, table, self.config).to_pylist()
        for row, pair in zip(rows, zip(encode(table, self.config).to_pylist(), qualifiers, strict=True), strict=True):
            if found.setdefault(pair, row) != row:
                lines = [("row", found[pair]), ("row", row), ("written as", pair[0]), ("qualifier", pair[1])]
                fail(f"{self.label} has one {method.partition('_')[0]} and one qualifier for different values", lines)


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
        """Return the mask of deletes."""
        return [plugin.is_delete(table, self.context)]

    def guarded(self, plugin: Any) -> GuardedDeleteRule:
        """Return the plugin, wrapped in the checks that a write applies to its results."""
        return GuardedDeleteRule(plugin, self.label)

    def choices(self) -> Mapping[str, list[tuple[str, Sequence[Any]]]]:
        """Return the types and values of the columns of the rule and of one other column."""
        return {name: [self._choice(name, type_)] for name, type_ in {"text": "string", **self.columns}.items()}

    def test_row_without_the_columns_is_no_delete(self) -> None:
        """Test that a row of a batch without the columns of the rule is not a delete."""
        table = pa.table({name: [value] for name, value in (("id", "1"), ("text", "a")) if name not in self.columns})
        with self.errors_reported():
            [answer] = self._answers(table)

        assert answer == (False,), "a row without the columns that the rule reads must not be a delete"

    def test_needs_are_enough(self) -> None:
        """Test that a rule gives the same answers with only the columns that its method `needs` returns.

        A read loads only these columns of the rows in logs.
        """
        plugin = completed(self.made(), BaseDeleteRule)
        if not defines(plugin, BaseDeleteRule, "needs"):
            pytest.skip(f"{self.label} has no method needs: it always gets whole rows")

        def check(table: pa.Table) -> None:
            needed = plugin.needs(table.schema, self.context)
            named = {name.partition(".")[0] for name in (table.column_names if needed is None else needed)}
            kept = [name for name in table.column_names if name in named]
            # a table without columns has no rows
            read = table.select(kept or ["text"])
            unread = pa.schema([field for field in table.schema if field.name not in read.column_names])
            pruned: Any = ReadRows(read, unread) if unread else read
            whole = ("with all columns", self._answers(table))
            self._same(table, whole, (f"with only {', '.join(kept) or 'none of its own'}", self._answers(pruned)))

        self._each_table(check)

    def test_makes_no_python_objects(self) -> None:
        """Test that strings, dates and timestamps are not converted to Python objects."""
        self.makes_no_python_objects("is_delete")


def _qualifiers(plugin: Any, method: str, table: pa.Table, config: KeyConfig) -> pa.Array:
    generator = completed(plugin, BaseKeyGenerator)
    found = (generator.key_qualifiers if method == _OF_KEYS else generator.path_qualifiers)(table, config)
    return pa.nulls(table.num_rows, pa.string()) if found is None else found


def _filled(choice: tuple[str, Sequence[Any]]) -> tuple[str, Sequence[Any]]:
    type_, values = choice
    return type_, [value for value in values if value is not None and value != ""]
