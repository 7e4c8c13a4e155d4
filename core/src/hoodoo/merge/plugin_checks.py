"""Checks of the values that plugins return. The error names the plugin, its distribution and example keys."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.merge.adapters.read_rows import ReadRows
from hoodoo.merge.outcome_check import OutcomeCheck
from hoodoo.plugin.base import BaseDeleteRule, BaseKeyGenerator, BaseMerger, RuleMembers
from hoodoo.plugin.completion import completed, defines
from hoodoo.plugin.faults import PluginCalls
from hoodoo.plugin.interface import DeleteRule, KeyGenerator, RecordMerger
from hoodoo.record import DeleteContext, KeyConfig, Law, MergerConfig, Outcome, RecordContext, Records, Source
from hoodoo.record.records import unknown_columns
from hoodoo.schema.columns import described, has_column, mask_advice, one_array

__all__ = ["GuardedDeleteRule", "GuardedKeyGenerator", "GuardedMerger", "check_table"]


def _completed_merger(merger: RecordMerger) -> BaseMerger:
    return completed(merger, BaseMerger)


def _completed_keygen(generator: KeyGenerator) -> BaseKeyGenerator:
    return completed(generator, BaseKeyGenerator)


def _completed_delete_rule(rule: DeleteRule) -> BaseDeleteRule:
    return completed(rule, BaseDeleteRule)


@frozen
class GuardedMerger:
    """A merger whose results are checked: a wrong result is a `PluginFault`.

    Attributes:
        merger: The merger, in the vectorised form.
        label: Plugin, distribution and version, for messages.
        whole_versions: Whether its plugin claims that it changes no column.
    """

    merger: BaseMerger = field(converter=_completed_merger)
    label: str
    whole_versions: bool

    @property
    def laws(self) -> frozenset[Law]:
        """Return the laws that the merger claims."""
        return self.merger.laws

    @property
    def reasons(self) -> Mapping[int, str]:
        """Return the merger's sentences by the codes in `Outcome.reason`; empty if it has none."""
        return self.merger.reasons

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the checked decisions of the merger."""
        calls = self._calls
        merge = partial(self.merger.merge, older, newer, context, config)
        outcome = calls.run("merge", merge, newer.keys, lambda _: _about_columns(older, newer))
        return self._checked(OutcomeCheck(calls, "merge", newer), outcome)

    def insert(self, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome | None:
        """Return the checked decisions of the merger; None if the merger has no method `insert`."""
        if not defines(self.merger, BaseMerger, "insert"):
            return None
        calls = self._calls
        outcome = calls.run("insert", lambda: self.merger.insert(newer, context, config), newer.keys)
        return self._checked(OutcomeCheck(calls, "insert", newer), outcome)

    def prepared(self, source: Source, config: MergerConfig) -> Source:
        """Return incoming versions after the merger's `prepare` changed columns; unchanged if it has no such method."""
        if not defines(self.merger, BaseMerger, "prepare"):
            return source
        records, table = source.records(), source.table
        answer = OutcomeCheck(self._calls, "prepare", records)
        columns = answer.calls.run("prepare", lambda: self.merger.prepare(records, config), source.keys)
        if not isinstance(columns, Mapping):
            raise answer.fault(f"must prepare columns by name, got {described(columns)}")
        for name, values in columns.items():
            place = table.schema.get_field_index(name)
            given = place >= 0  # the rows may lack a column that the table has
            prepared = answer.checked_patch(name, values, source.has_data & given)
            if given:
                table = table.set_column(place, table.schema.field(place), prepared)
            elif source.has_data.any():  # key-only deletes have no columns
                table = table.append_column(source.schema.field(name), prepared)
        return evolve(source, table=table)

    @property
    def _calls(self) -> PluginCalls:
        return PluginCalls(self.label, self.merger)

    def _checked(self, answer: OutcomeCheck, outcome: Any) -> Outcome:
        checked = answer.checked(outcome)
        if self.whole_versions and checked.patch:
            raise answer.fault(
                f"claims whole_versions, and changed column '{min(checked.patch)}'; return no patch, or do not claim it"
            )
        return checked


@frozen
class GuardedKeyGenerator:
    """A key generator whose results are checked: a wrong result is a `PluginFault`."""

    generator: BaseKeyGenerator = field(converter=_completed_keygen)
    label: str

    @property
    def generates_keys(self) -> bool:
        """Return whether keys are generated from the position of a row in its write and not from its columns."""
        return bool(self.generator.generates_keys)

    @property
    def path_per_value(self) -> bool:
        """Return whether rows share a path if, and only if, their partition columns are equal.

        Null and an empty value may share a path.
        """
        return bool(self.generator.path_per_value)

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the checked record keys of the generator: one non-null string per row."""
        return self._strings("record_keys", rows, config)

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the checked partition paths of the generator: one non-null string per row."""
        return self._strings("partition_paths", rows, config)

    @property
    def qualifies_keys(self) -> bool:
        """Return whether the generator has qualifiers of record keys (`key_qualifiers`)."""
        return defines(self.generator, BaseKeyGenerator, "key_qualifiers")

    @property
    def qualifies_paths(self) -> bool:
        """Return whether the generator has qualifiers of partition paths (`path_qualifiers`)."""
        return defines(self.generator, BaseKeyGenerator, "path_qualifiers")

    def key_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return the checked qualifiers of record keys; None if the generator has none, or lacks this method."""
        return self._qualifiers("key_qualifiers", rows, config)

    def path_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return the checked qualifiers of paths; None if the generator has none, or lacks this method."""
        return self._qualifiers("path_qualifiers", rows, config)

    def _qualifiers(self, method: str, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        qualifiers = self._called(method, rows, config)
        return None if qualifiers is None else self._checked(method, qualifiers, rows, config, nullable=True)

    def _strings(self, method: str, rows: pa.Table, config: KeyConfig) -> pa.Array:
        return self._checked(method, self._called(method, rows, config), rows, config)

    def _called(self, method: str, rows: pa.Table, config: KeyConfig) -> Any:
        call = getattr(self.generator, method)
        return self._calls.run(method, lambda: call(rows, config), lambda: _first_row(rows, config))

    @property
    def _calls(self) -> PluginCalls:
        return PluginCalls(self.label, self.generator)

    def _checked(
        self, method: str, values: Any, rows: pa.Table, config: KeyConfig, *, nullable: bool = False
    ) -> pa.Array:
        if isinstance(values, pa.ChunkedArray):
            values = one_array(values)
        fits = isinstance(values, pa.Array) and values.type == pa.string() and len(values) == rows.num_rows
        if not fits or (values.null_count and not nullable):
            allowed = "strings or null, or None" if nullable else "strings and never null"
            noun = method.replace("_", " ")
            what = f"{rows.num_rows} {noun.removesuffix('s') if rows.num_rows == 1 else noun}, {allowed}"
            untyped = isinstance(values, pa.Array) and pa.types.is_null(values.type)
            advice = "; give the array a type: pa.array(values, pa.string())" if untyped else ""
            problem = f"must return {what}, got {described(values)}{advice}"
            raise self._calls.fault(method, problem, lambda: _first_row(rows, config))
        return values


@frozen
class GuardedDeleteRule:
    """A delete rule whose results are checked: a wrong result is a `PluginFault`."""

    rule: BaseDeleteRule = field(converter=_completed_delete_rule)
    label: str

    def is_delete(self, rows: pa.Table, context: DeleteContext, keys: pa.Array | None = None) -> NDArray[np.bool_]:
        """Return a checked mask of the rows that the rule deletes; `keys` are the rows' record keys, for messages."""
        mask = self._calls.run("is_delete", lambda: self.rule.is_delete(rows, context), keys, _about_rows(rows))
        return self._checked("is_delete", mask, rows, keys)

    @property
    def may_drop(self) -> bool:
        """Return whether the rule can leave out rows."""
        return defines(self.rule, BaseDeleteRule, "drops")

    def drops(
        self, rows: pa.Table, deletes: NDArray[np.bool_], context: DeleteContext, keys: pa.Array | None = None
    ) -> NDArray[np.bool_]:
        """Return a checked mask of the rows that the rule leaves out."""
        mask = self._calls.run("drops", lambda: self.rule.drops(rows, deletes, context), keys, _about_rows(rows))
        return self._checked("drops", mask, rows, keys)

    def check(self, schema: pa.Schema, context: DeleteContext) -> None:
        """Raise the error of a rule that does not accept a table with these columns.

        Raises:
            SchemaError: The rule does not accept the columns.
            PluginFault: The rule raised an exception that is not a `HoodooError`.
        """
        self._calls.run("check", lambda: self.rule.check(schema, context))

    @property
    def _calls(self) -> PluginCalls:
        return PluginCalls(self.label, self.rule)

    def _checked(self, method: str, mask: Any, rows: pa.Table, keys: pa.Array | None) -> NDArray[np.bool_]:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (rows.num_rows,):
            which = "the row" if rows.num_rows == 1 else f"each of {rows.num_rows} rows"
            problem = f"must return one boolean for {which}, got {described(mask)}"
            raise self._calls.fault(method, problem + mask_advice(mask), keys)
        return mask


def check_table(plugin: object, label: str, schema: pa.Schema, config: MergerConfig) -> None:
    """Raise the error of a merger or payload that does not accept a table with these columns.

    Raises:
        SchemaError: The plugin does not accept the columns.
        OptionError: The options of the plugin do not suit the columns.
        PluginFault: The plugin raised an exception that is not a `HoodooError`.
    """
    rule = completed(plugin, RuleMembers)
    PluginCalls(label, rule).run("check", lambda: rule.check(schema, config))


def _about_columns(*sides: Records) -> str:
    """Return advice about columns that a rule used and the table lacks, whose values are null; "" if there are none."""
    names = {name: side.schema.names for side in sides for name in unknown_columns(side)}
    if not names:
        return ""
    name, others = min(names.items())
    near = difflib.get_close_matches(name, others, n=1)
    return f"; the table has no column '{name}', whose values are therefore null" + (
        f": did you mean '{near[0]}'?" if near else ""
    )


def _about_rows(rows: pa.Table) -> Callable[[Exception], str]:
    """Return a function that returns advice for a rule that passes rows of a read to functions of pyarrow."""
    if type(rows) is not ReadRows:
        return lambda _: ""
    return lambda error: (
        "; the rows of a read act as a table and are not one: take columns from them, such as rows['id']"
        if ReadRows.__name__ in str(error) or isinstance(error, TypeError)
        else ""
    )


def _first_row(rows: pa.Table, config: KeyConfig) -> str:
    """Return the record key columns of the first row as text for messages; "" if there are none."""
    names = [name for name in config.record_key if has_column(rows.schema, name)]
    if not names or not rows.num_rows:
        return ""
    row = rows.select(names).slice(0, 1).to_pylist()[0]
    texts = {n: "null" if v is None else repr(v) if isinstance(v, str) else str(v) for n, v in row.items()}
    shown = ", ".join(f"{name}={text}" for name, text in texts.items())
    return f"rows such as {shown} ({rows.num_rows} in this call)"
