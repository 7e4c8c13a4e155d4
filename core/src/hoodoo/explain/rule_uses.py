"""Merge rules and ordering fields of a table, and the properties that name them."""

from __future__ import annotations

from collections.abc import Callable

from hoodoo.errors import PluginError, UnsupportedTable
from hoodoo.explain.explanation import RuleUse
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.options.table import RuleOptions
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import (
    COMPAT,
    DELETE_FIELD,
    DELETE_MARKER,
    DELETE_RULE,
    LEGACY_PAYLOAD_CLASS,
    MERGE_MODE,
    MERGER,
    OLD_STRATEGY_ID,
    ORDERING_FIELDS,
    PARTIAL_UPDATE_MODE,
    PAYLOAD,
    PAYLOAD_CLASS,
    PAYLOAD_ORDERING,
    PRECOMBINE_FIELD,
    RULE_OPTIONS,
    STRATEGY_ID,
)
from hoodoo.table_rules.reader_rule import read_rule
from hoodoo.table_rules.stored_keys import key_config
from hoodoo.table_rules.stored_rule import field_names
from hoodoo.table_rules.writer_rule import resolve_rule

__all__ = ["rule_settings", "rule_uses"]

_ORDERING = (ORDERING_FIELDS, PRECOMBINE_FIELD)
_SETTINGS = (
    MERGER,
    PAYLOAD,
    RULE_OPTIONS,
    COMPAT,
    DELETE_RULE,
    MERGE_MODE,
    STRATEGY_ID,
    OLD_STRATEGY_ID,
    PAYLOAD_CLASS,
    LEGACY_PAYLOAD_CLASS,
    PARTIAL_UPDATE_MODE,
    PAYLOAD_ORDERING,
    *_ORDERING,
    DELETE_FIELD,
    DELETE_MARKER,
)


def rule_settings(properties: TableProperties) -> dict[str, str]:
    """Return the properties of a table that select its rules."""
    return {key: properties[key] for key in _SETTINGS if properties.get(key)}


def rule_uses(properties: TableProperties, catalogue: Catalogue) -> tuple[RuleUse, ...]:
    """Return the rules of a table: the rule of its readers if the table can have logs, and the rule of its writers.

    If a rule cannot be loaded, its label is the error and nothing is raised, because a copy-on-write table can be read
    without a rule.
    """
    own = field_names(properties.get(PAYLOAD_ORDERING))
    named_by = next((key for key in _ORDERING if properties.get(key)), None)
    uses = []
    if properties.table_type == "MERGE_ON_READ":
        source = PAYLOAD_ORDERING if own else named_by
        uses.append(_use("reading", own or properties.ordering, source, lambda: read_rule(properties, catalogue)))
    written = {**properties, PRECOMBINE_FIELD: ",".join(properties.ordering)}
    keys = key_config(properties)
    uses.append(
        _use("writing", properties.ordering, named_by, lambda: resolve_rule(RuleOptions(), written, catalogue, keys))
    )
    return tuple(uses)


def _use(use: str, ordering: tuple[str, ...], named_by: str | None, find: Callable[[], RuleSpec]) -> RuleUse:
    try:
        spec = find()
        compares = spec.make_rule().uses_ordering
    except (PluginError, UnsupportedTable) as error:
        return RuleUse(use, str(error), ordering, None, named_by, ())
    deletes = tuple(rule.name for rule in spec.delete_rules)
    return RuleUse(use, spec.plugin.label, ordering, bool(ordering) and compares, named_by, deletes)
