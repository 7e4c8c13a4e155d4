"""The rule with which readers merge log records: the one in hoodoo's properties, or the one that Hudi infers."""

from __future__ import annotations

from typing import Any

from hoodoo.errors import UnknownPlugin, UnsupportedTable
from hoodoo.merge.delete_rules import delete_rule_specs
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import COMPAT, MERGER, PAYLOAD, PAYLOAD_ORDERING
from hoodoo.record import MergerConfig
from hoodoo.table_rules.default_deletes import default_delete_rules
from hoodoo.table_rules.merge_modes import named_rule
from hoodoo.table_rules.missing_plugins import all_missing, missing_names, naming_writers
from hoodoo.table_rules.stored_rule import (
    field_names,
    stored_delete,
    stored_delete_options,
    stored_delete_rules,
    stored_rule_options,
)

__all__ = ["read_rule"]


def read_rule(properties: TableProperties, catalogue: Catalogue) -> RuleSpec:
    """Return the rule of a table for its readers and for compaction.

    Raises:
        UnknownPlugin: The rule or a delete rule is not installed; the message lists all, with the distributions to
            install if they are known.
        PluginError, OptionError: As `Catalogue.spec`, for the rule or a delete rule.
        UnsupportedTable: The table names a merger by a merge mode, partial update mode or strategy id that no installed
            plugin declares.
        CorruptTableError: The stored options of the rule or of the delete rules are not a JSON object.
    """
    with naming_writers(properties):
        try:
            return _read_rule(properties, catalogue)
        except UnknownPlugin as error:
            missing = missing_names("delete", stored_delete_rules(properties), catalogue)
            raise all_missing([error, *missing]) from error


def _read_rule(properties: TableProperties, catalogue: Catalogue) -> RuleSpec:
    family, name, options = _resolve(properties, catalogue)
    spec = catalogue.spec(family, name, options)
    rules = stored_delete_rules(properties) or default_delete_rules(family, spec.name, catalogue)
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


def _resolve(properties: TableProperties, catalogue: Catalogue) -> tuple[str, str, dict[str, Any]]:
    """Return the family, the name and the options of a table's rule."""
    own = properties.get(MERGER)
    if own:
        return "merger", own, stored_rule_options(properties)
    named = named_rule(properties, catalogue)
    if named is not None:
        return "merger", *named
    payload = properties.get(PAYLOAD) or properties.payload_class
    if payload:
        return "payload", payload, stored_rule_options(properties)
    strategy = properties.strategy_id
    reason = ", but its properties name neither a strategy id nor a payload class; set"
    if strategy:
        reason = (
            f" with strategy id '{strategy}', and no installed merger declares that id; pip install the plugin that "
            "does, or set"
        )
    raise UnsupportedTable(
        f"table '{properties.name}' is merged by a custom merger{reason} hoodoo.merger in "
        "hoodie.properties to the name of an installed merger with the same rule; query_type 'read_optimized' reads "
        "the base files without merging",
        code="merge_strategy",
    )
