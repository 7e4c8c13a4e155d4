"""Columns that a rule adds to a table, and columns that a pruned read must add for a rule."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from hoodoo.errors import PluginFault
from hoodoo.merge.rule import kept_columns
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.plugin.base import BaseDeleteRule, RuleMembers
from hoodoo.plugin.completion import completed
from hoodoo.schema.columns import field_at, has_column

__all__ = ["needed_columns", "roots_of", "with_added"]


def needed_columns(spec: RuleSpec, schema: pa.Schema) -> frozenset[str]:
    """Return the top-level columns of a schema that are ordering columns or needed by the rule or its delete rules.

    All columns are returned for a rule without `needs`, because the columns that it reads are unknown.
    """
    plugin = spec.plugin.resolve()
    names = {*spec.payload_ordering, *spec.config.ordering, *kept_columns(plugin, spec.plugin.label)}
    needed = [completed(plugin, RuleMembers).needs(schema, spec.config)]
    needed += [
        completed(rule.resolve(), BaseDeleteRule).needs(schema, spec.config.delete) for rule in spec.delete_rules
    ]
    for columns in needed:
        names.update(schema.names if columns is None else columns)
    return roots_of(names, schema)


def with_added(spec: RuleSpec, schema: pa.Schema) -> pa.Schema:
    """Return the schema of a write with the columns that its rule keeps in the table.

    Raises:
        SchemaError: The rule cannot work with these columns.
        PluginFault: The rule adds a column that exists already.
    """
    rule = completed(spec.plugin.resolve(), RuleMembers)
    added = [field.with_nullable(True) for field in rule.adds(schema, spec.config)]
    if not added:
        return schema
    names = {name.lower() for name in schema.names}
    if twice := [field.name for field in added if field.name.lower() in names]:
        raise PluginFault(f"{spec.plugin.label} adds column '{twice[0]}', which exists already")
    return pa.schema([*schema, *added], schema.metadata)


def roots_of(paths: Iterable[str], schema: pa.Schema) -> frozenset[str]:
    """Return the top-level columns of dotted paths; paths to missing columns are ignored."""
    return frozenset(
        path if has_column(schema, path) else path.partition(".")[0]
        for path in paths
        if field_at(schema, path) is not None
    )
