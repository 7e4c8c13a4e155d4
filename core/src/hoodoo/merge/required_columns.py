"""Columns that a rule adds to a table, and columns that a read with column pruning must add for a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa

from hoodoo.merge.rule import kept_columns
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.plugin.base import BaseDeleteRule, RuleMembers
from hoodoo.plugin.completion import completed
from hoodoo.plugin.faults import PluginCalls
from hoodoo.plugin.installed.catalogue import PluginSpec
from hoodoo.record import DeleteContext
from hoodoo.schema.columns import described, field_at, has_column

__all__ = ["columns_of_deletes", "needed_columns", "roots_of", "with_added"]


def needed_columns(spec: RuleSpec, schema: pa.Schema) -> frozenset[str]:
    """Return the top-level columns of a schema that are ordering columns or needed by the rule or its delete rules.

    All columns are returned if `needs` of one of these rules is missing or returns None, because the columns that the
    rule reads are unknown.

    Raises:
        PluginFault: A method `needs` raised an error, or returned neither column names nor None; or
            `keeps_with_deletes` of the rule is not a tuple of names.
    """
    plugin = spec.plugin.resolve()
    names = {*spec.payload_ordering, *spec.config.ordering, *kept_columns(plugin, spec.plugin.label)}
    rule = completed(plugin, RuleMembers)
    needed = [_named_by(PluginCalls(spec.plugin.label, rule), lambda: rule.needs(schema, spec.config))]
    needed += [columns_of_deletes(rule, schema, spec.config.delete) for rule in spec.delete_rules]
    for columns in needed:
        names.update(schema.names if columns is None else columns)
    return roots_of(names, schema)


def columns_of_deletes(rule: PluginSpec, schema: pa.Schema, context: DeleteContext) -> list[str] | None:
    """Return the columns by which a delete rule finds deletes; None if it may read all columns of `schema`.

    Raises:
        PluginError: The rule cannot be used in this process, or its method `needs` raised an error or returned neither
            column names nor None.
    """
    judge = completed(rule.resolve(), BaseDeleteRule)
    return _named_by(PluginCalls(rule.label, judge), lambda: judge.needs(schema, context))


def _named_by(calls: PluginCalls, needs: Callable[[], Iterable[str] | None]) -> list[str] | None:
    """Return the columns that the method `needs` of a plugin names; None for all."""

    def named() -> Any:
        columns = needs()
        # iteration over a string would return its letters as columns
        return columns if columns is None or isinstance(columns, str) else list(columns)

    columns = calls.run("needs", named)
    if columns is not None and not (isinstance(columns, list) and all(isinstance(name, str) for name in columns)):
        advice = f"; write [{columns!r}]" if isinstance(columns, str) else ""
        raise calls.fault("needs", f"must return the names of columns, or None, got {described(columns)}{advice}")
    return columns


def with_added(spec: RuleSpec, schema: pa.Schema) -> pa.Schema:
    """Return the schema of a write, with the columns that its rule adds to the table.

    Raises:
        SchemaError: The rule cannot work with these columns.
        PluginFault: The rule adds a column that exists already, or its method `adds` raised another error.
    """
    rule = completed(spec.plugin.resolve(), RuleMembers)
    calls = PluginCalls(spec.plugin.label, rule)
    added = calls.run("adds", lambda: [field.with_nullable(True) for field in rule.adds(schema, spec.config)])
    if not added:
        return schema
    names = {name.lower() for name in schema.names}
    if twice := [field.name for field in added if field.name.lower() in names]:
        raise calls.fault("adds", f"adds column '{twice[0]}', which exists already; return only missing columns")
    return pa.schema([*schema, *added], schema.metadata)


def roots_of(paths: Iterable[str], schema: pa.Schema) -> frozenset[str]:
    """Return the top-level columns of dotted paths; paths to missing columns are ignored."""
    return frozenset(
        path if has_column(schema, path) else path.partition(".")[0]
        for path in paths
        if field_at(schema, path) is not None
    )
