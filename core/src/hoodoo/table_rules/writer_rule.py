"""The merge rule of a write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from hoodoo.errors import OptionError, UnknownPlugin
from hoodoo.merge.delete_rules import delete_rule_specs
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.options import Options, RuleOptions, TableOptions, default_plugins
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import COMPAT, PAYLOAD, PAYLOAD_ORDERING, PRECOMBINE_FIELD, RULE_DIGEST
from hoodoo.record import KeyConfig, MergerConfig
from hoodoo.table_rules.default_deletes import default_delete_rules
from hoodoo.table_rules.missing_plugins import all_missing, missing_names
from hoodoo.table_rules.stored_rule import (
    field_names,
    stored_delete,
    stored_delete_options,
    stored_delete_rules,
    stored_rule,
)
from hoodoo.table_rules.substitutes import replace_payload

__all__ = ["DEFAULT_VERSION", "requested_rule", "resolve_rule"]

DEFAULT_VERSION = 6
"""Default version of new tables, which every current reader supports."""

_PAYLOAD_DECIDES = ("CUSTOM", "00000000-0000-0000-0000-000000000000")
"""Hudi's merge mode and strategy id for tables that are merged by a payload."""


def resolve_rule(given: RuleOptions, properties: Mapping[str, str], catalogue: Catalogue, keys: KeyConfig) -> RuleSpec:
    """Return the rule of a write: that of the table, else the given one, else a default merger.

    Raises:
        OptionError: Payload and merger are given together, or a rule, ordering or delete option is invalid or does not
            fit the table.
        UnknownPlugin: The rule or a delete rule is not installed; the error lists all that are missing.
        PluginError: As `Catalogue.spec`, for the rule or a delete rule.
        UnsupportedTable: As `stored_rule`.
        CorruptTableError: As `stored_rule`, or the stored options of the delete rules are not a JSON object.
    """
    try:
        return _resolved(given, properties, catalogue, keys)
    except UnknownPlugin as error:
        family = "payload" if given.payload or properties.get(PAYLOAD) else "merger"
        names = stored_delete_rules(properties) or default_plugins.DELETE_RULES[family]
        raise all_missing([error, *missing_names("delete", names, catalogue)]) from error


def _resolved(given: RuleOptions, properties: Mapping[str, str], catalogue: Catalogue, keys: KeyConfig) -> RuleSpec:
    ordering = field_names(properties.get(PRECOMBINE_FIELD))
    payload_ordering = field_names(properties.get(PAYLOAD_ORDERING)) or ordering
    family, name, stored_options = _choose(given, properties, catalogue, ordering)
    options = dict(given.merger_options) if given.merger_options is not None else stored_options
    spec = catalogue.spec(family, name, options)
    kept = properties.get(RULE_DIGEST)
    if kept is None and stored_options:
        kept = catalogue.spec(family, name, stored_options).digest
    if kept is not None and kept != spec.digest:
        raise OptionError(
            f"'merger_options' is {json.dumps(stored_options, default=str)} for this table and the write has "
            f"{json.dumps(options, default=str)}; leave the option out",
            code="contradiction",
        )
    if family == "merger" and payload_ordering != ordering:
        raise OptionError(
            f"'payload_ordering' is {','.join(payload_ordering)} and 'ordering' is {','.join(ordering) or 'not set'}: "
            f"merger '{spec.name}' has one ordering; leave 'payload_ordering' out, or use a payload"
        )
    compat = given.compat or properties.get(COMPAT)
    if family == "merger" and compat is not None:
        raise OptionError("'compat' chooses the semantics of a payload, and a merger has only one; leave 'compat' out")
    rules = stored_delete_rules(properties) or default_delete_rules(family, spec.name, catalogue)
    config = MergerConfig(
        record_key=keys.record_key,
        partition_by=keys.partition_columns,
        ordering=ordering,
        delete=stored_delete(properties),
        compat=compat or "legacy",
        options=options,
    )
    deletes = delete_rule_specs(catalogue, rules, stored_delete_options(properties))
    return RuleSpec(family, spec, deletes, config, payload_ordering)


def requested_rule(stored: TableProperties | None, options: Options, catalogue: Catalogue) -> RuleOptions:
    """Return the options for the rule, with a payload replaced by the merger that the table's version uses for it.

    A `merger` is left out if it only states that the payload decides, as the merge mode `CUSTOM` does.

    Raises:
        PluginError: As `replace_payload`.
    """
    version = (options[TableOptions].table_version or DEFAULT_VERSION) if stored is None else stored.version
    given = options[RuleOptions]
    if given.payload and given.merger and given.merger.upper() in _PAYLOAD_DECIDES:
        given = evolve(given, merger=None)
    return replace_payload(given, catalogue, version)


def _choose(
    given: RuleOptions, properties: Mapping[str, str], catalogue: Catalogue, ordering: tuple[str, ...]
) -> tuple[str, str, dict[str, Any]]:
    """Return the family and the name of the rule, and the options that the table stores for it."""
    if given.payload and given.merger:
        raise OptionError(f"give a payload or a merger, not both (payload '{given.payload}', merger '{given.merger}')")
    requested = ("payload", given.payload) if given.payload else ("merger", given.merger) if given.merger else None
    stored = stored_rule(properties, catalogue)
    if stored is None:
        merger = default_plugins.MERGER_WITH_ORDERING if ordering else default_plugins.MERGER_WITHOUT_ORDERING
        family, name = requested or ("merger", merger)
        return family, catalogue.find(family, name or "").name, {}
    kept = (stored[0], catalogue.find(*stored[:2]).name)
    if requested is not None:
        wanted = (requested[0], catalogue.find(requested[0], requested[1] or "").name)
        if wanted != kept:
            raise OptionError(
                f"the table's rule is {kept[0]} '{kept[1]}', and the write names {wanted[0]} '{wanted[1]}': "
                "a table has one rule; leave the option out",
                code="contradiction",
            )
    return *kept, stored[2]
