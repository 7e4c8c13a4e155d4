"""Which columns a rule has beside those of the rows, and which a pruned read must add for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from hoodoo.errors import PluginFault
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.schema.columns import field_at, has_column

__all__ = ["needed_columns", "roots_of", "with_added"]


def needed_columns(spec: RuleSpec, schema: pa.Schema) -> frozenset[str]:
    """Top-level columns: the ordering columns, and what rule and delete rules ask for, where the schema has them.

    A rule without `needs` is given whole rows: what it looks at cannot be known.
    """
    asked = {*spec.payload_ordering, *spec.config.ordering}
    asked.update(_needs(spec.plugin.resolve(), schema, spec.config))
    for rule in spec.delete_rules:
        asked.update(_needs(rule.resolve(), schema, spec.config.delete))
    return roots_of(asked, schema)


def with_added(spec: RuleSpec, schema: pa.Schema) -> pa.Schema:
    """The schema of a write with the columns that its rule keeps in the table.

    Raises:
        SchemaError: the rule cannot work with the columns that there are.
        PluginFault: it names a column that there is already.
    """
    adds = getattr(spec.plugin.resolve(), "adds", None)
    if adds is None:
        return schema
    added = [field.with_nullable(True) for field in adds(schema, spec.config)]
    names = {name.lower() for name in schema.names}
    if twice := [field.name for field in added if field.name.lower() in names]:
        raise PluginFault(f"{spec.plugin.label} adds column '{twice[0]}', which there is already")
    return pa.schema([*schema, *added], schema.metadata)


def roots_of(paths: Iterable[str], schema: pa.Schema) -> frozenset[str]:
    """The top-level columns that dotted paths lead into; paths that lead nowhere are left out."""
    return frozenset(
        path if has_column(schema, path) else path.partition(".")[0]
        for path in paths
        if field_at(schema, path) is not None
    )


def _needs(plugin: Any, schema: pa.Schema, config: Any) -> Iterable[str]:
    needs = getattr(plugin, "needs", None)
    asked: Iterable[str] = schema.names if needs is None else needs(schema, config)
    return asked
