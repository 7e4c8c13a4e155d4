"""Merge rules and ordering fields of a table, and the properties that name them."""

from __future__ import annotations

from collections.abc import Callable

from hoodoo.errors import PluginError, UnsupportedTable
from hoodoo.explain.explanation import RuleUse
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.options.table import RuleOptions
from hoodoo.plugin.catalog.catalog import Catalogue
from hoodoo.properties import TableProperties
from hoodoo.table_rules.reader_rule import read_rule
from hoodoo.table_rules.stored_keys import key_config
from hoodoo.table_rules.stored_rule import field_names
from hoodoo.table_rules.writer_rule import resolve_rule

__all__ = ["rule_settings", "rule_uses"]

_PAYLOAD_ORDERING = "hoodie.payload.ordering.field"
_ORDERING = ("hoodie.table.ordering.fields", "hoodie.table.precombine.field")
_SETTINGS = (
    "hoodoo.merger",
    "hoodoo.payload",
    "hoodoo.rule.options",
    "hoodoo.compat",
    "hoodoo.delete_rule",
    "hoodie.record.merge.mode",
    "hoodie.record.merge.strategy.id",
    "hoodie.compaction.record.merger.strategy",
    "hoodie.compaction.payload.class",
    "hoodie.table.legacy.payload.class",
    "hoodie.table.partial.update.mode",
    _PAYLOAD_ORDERING,
    *_ORDERING,
    "hoodie.payload.delete.field",
    "hoodie.payload.delete.marker",
)


def rule_settings(properties: TableProperties) -> dict[str, str]:
    """Return the properties of a table that select its rules."""
    return {key: properties[key] for key in _SETTINGS if properties.get(key)}


def rule_uses(properties: TableProperties, catalogue: Catalogue) -> tuple[RuleUse, ...]:
    """Return the rules of a table: the rule of its readers if the table can have logs, and the rule of its writers.

    A rule that is not installed has its error as the label: copy-on-write tables are read without it.
    """
    own = field_names(properties.get(_PAYLOAD_ORDERING))
    named_by = next((key for key in _ORDERING if properties.get(key)), None)
    uses = []
    if properties.table_type == "MERGE_ON_READ":
        source = _PAYLOAD_ORDERING if own else named_by
        uses.append(_use("reading", own or properties.ordering, source, lambda: read_rule(properties, catalogue)))
    written = {**properties, "hoodie.table.precombine.field": ",".join(properties.ordering)}
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
