"""Which rule a write runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from hoodoo.errors import OptionError
from hoodoo.merge.defaults import default_delete_rules
from hoodoo.merge.delete_rules import delete_rule_specs
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.options import Options, RuleOptions, TableOptions
from hoodoo.plugin.catalog.catalog import Catalogue
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import COMPAT, PAYLOAD_ORDERING, PRECOMBINE_FIELD, RULE_DIGEST
from hoodoo.record import KeyConfig, MergerConfig
from hoodoo.table_rules.merge_modes import MODE_OF_PAYLOAD
from hoodoo.table_rules.stored_rule import (
    field_names,
    stored_delete,
    stored_delete_options,
    stored_delete_rules,
    stored_rule,
)
from hoodoo.table_rules.substitutes import STAND_INS

__all__ = ["DEFAULT_VERSION", "asked_rule", "in_merge_modes", "resolve_rule"]

DEFAULT_VERSION = 6
"""Of new tables: every current reader reads it."""


def resolve_rule(given: RuleOptions, properties: Mapping[str, str], catalogue: Catalogue, keys: KeyConfig) -> RuleSpec:
    """The rule of a write: what the table says, else what is given, else `event-time` or `commit-time`.

    Raises:
        OptionError: payload and merger together, or a rule, ordering or delete option that cannot be.
        UnknownPlugin: the rule is not installed.
    """
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
            f"'merger_options' is {stored_options} for this table and {options} was asked for; leave the option out",
            code="contradiction",
        )
    if family == "merger" and payload_ordering != ordering:
        raise OptionError(
            f"'payload_ordering' is {','.join(payload_ordering)} and 'ordering' is {','.join(ordering) or 'not set'}: "
            f"merger '{spec.name}' has one ordering; use a payload to compare batch and storage by different columns"
        )
    compat = given.compat or properties.get(COMPAT)
    if family == "merger" and compat is not None:
        raise OptionError("'compat' chooses between semantics of a payload; a merger has one")
    rules = stored_delete_rules(properties) or default_delete_rules(family, spec.name)
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


def asked_rule(stored: TableProperties | None, options: Options, catalogue: Catalogue) -> RuleOptions:
    """What is asked of the rule, in the words of the table's version."""
    version = (options[TableOptions].table_version or DEFAULT_VERSION) if stored is None else stored.version
    return in_merge_modes(options[RuleOptions], catalogue, version)


def in_merge_modes(given: RuleOptions, catalogue: Catalogue, version: int) -> RuleOptions:
    """The options in the words of a table version.

    From 8 on many of Hudi's payloads are a merge mode, and from 9 on nearly all.
    """
    if version < 8 or given.payload is None or given.merger is not None:
        return given
    name = catalogue.find("payload", given.payload).name
    if version >= 9 and name in STAND_INS:
        return STAND_INS[name].in_place_of(given)
    mode = MODE_OF_PAYLOAD.get(name)
    return given if mode is None else evolve(given, payload=None, merger=mode)


def _choose(
    given: RuleOptions, properties: Mapping[str, str], catalogue: Catalogue, ordering: tuple[str, ...]
) -> tuple[str, str, dict[str, Any]]:
    """Family, name and stored options."""
    if given.payload and given.merger:
        raise OptionError(f"give a payload or a merger, not both (payload '{given.payload}', merger '{given.merger}')")
    asked = ("payload", given.payload) if given.payload else ("merger", given.merger) if given.merger else None
    stored = stored_rule(properties)
    if stored is None:
        family, name = asked or ("merger", "event-time" if ordering else "commit-time")
        return family, catalogue.find(family, name or "").name, {}
    kept = (stored[0], catalogue.find(*stored[:2]).name)
    if asked is not None:
        wanted = (asked[0], catalogue.find(asked[0], asked[1] or "").name)
        if wanted != kept:
            raise OptionError(
                f"the table's rule is {kept[0]} '{kept[1]}', and {wanted[0]} '{wanted[1]}' was asked for: "
                "two rules on one table give rows that neither of them explains; leave the option out",
                code="contradiction",
            )
    return *kept, stored[2]
