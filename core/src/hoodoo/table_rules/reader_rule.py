"""The rule by which a table's log records are merged, as Hudi's readers infer it, or as our own properties name it."""

from __future__ import annotations

from typing import Any

from hoodoo.errors import UnsupportedTable
from hoodoo.merge.defaults import default_delete_rules
from hoodoo.merge.delete_rules import delete_rule_specs
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.plugin.catalog.catalog import Catalogue
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import COMPAT, MERGER, PAYLOAD, PAYLOAD_ORDERING
from hoodoo.record import MergerConfig
from hoodoo.table_rules.merge_modes import named_rule
from hoodoo.table_rules.stored_rule import (
    field_names,
    stored_delete,
    stored_delete_options,
    stored_delete_rules,
    stored_rule_options,
)

__all__ = ["read_rule"]


def read_rule(properties: TableProperties, catalogue: Catalogue) -> RuleSpec:
    """The rule of a table for its readers and for compaction.

    Raises:
        UnknownPlugin: the rule is not installed; the message says what to install.
        UnsupportedTable: the table names a merger of another language that no plugin stands for.
    """
    family, name, options = _named(properties)
    spec = catalogue.spec(family, name, options)
    rules = stored_delete_rules(properties) or default_delete_rules(family, spec.name)
    ordering = field_names(properties.get(PAYLOAD_ORDERING)) or properties.ordering
    config = MergerConfig(
        record_key=properties.record_key,
        partition_by=properties.partition_by,
        ordering=ordering,
        delete=stored_delete(properties),
        compat=properties.get(COMPAT) or "legacy",
        options=options,
    )
    deletes = delete_rule_specs(catalogue, rules, stored_delete_options(properties))
    return RuleSpec(family, spec, deletes, config, ordering)


def _named(properties: TableProperties) -> tuple[str, str, dict[str, Any]]:
    """Family, name and options."""
    own = properties.get(MERGER)
    if own:
        return "merger", own, stored_rule_options(properties)
    named = named_rule(properties)
    if named is not None:
        return "merger", *named
    payload = properties.get(PAYLOAD) or properties.payload_class
    if payload:
        return "payload", payload, stored_rule_options(properties)
    raise UnsupportedTable(
        f"table '{properties.name}' is merged by a custom merger with strategy id '{properties.strategy_id}', which no "
        "plugin here stands for. If it exists as a plugin, pip install it and set hoodoo.merger to its name in "
        "hoodie.properties; query_type 'read_optimized' reads the base files without merging",
        code="merge_strategy",
    )
