"""Which rule a write runs, and how it travels: names, versions and options as JSON, resolved again where it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import asdict, frozen
from numpy.typing import NDArray

from hoodoo.errors import OptionError
from hoodoo.merge import Rule
from hoodoo.merge.defaults import default_delete_rules
from hoodoo.merge.guard import GuardedDeleteRule
from hoodoo.options import RuleOptions
from hoodoo.plugin.catalog import Catalogue, PluginSpec
from hoodoo.properties import TableProperties
from hoodoo.record import DeleteContext, MergerConfig

__all__ = ["DeleteJudge", "RuleSpec", "resolve_rule"]


@frozen
class DeleteJudge:
    """Judges each incoming row once: a row is a delete where any of the rules says so."""

    rules: tuple[GuardedDeleteRule, ...]
    context: DeleteContext

    def is_delete(self, rows: pa.Table) -> NDArray[np.bool_]:
        """One boolean per row."""
        deletes = np.zeros(rows.num_rows, dtype=bool)
        for rule in self.rules:
            deletes |= rule.is_delete(rows, self.context)
        return deletes


@frozen
class RuleSpec:
    """A rule and its delete rules, by name, version and options."""

    family: str
    plugin: PluginSpec
    delete_rules: tuple[PluginSpec, ...]
    config: MergerConfig
    payload_ordering: tuple[str, ...]

    def make_rule(self) -> Rule:
        """The rule itself, resolved here."""
        plugin = self.plugin.resolve()
        if self.family == "merger":
            return Rule.of_merger(plugin, self.plugin.label, self.config)
        return Rule.of_payload(plugin, self.plugin.label, self.config, self.payload_ordering)

    def make_judge(self) -> DeleteJudge:
        """The delete rules themselves, resolved here."""
        rules = tuple(GuardedDeleteRule(spec.resolve(), spec.label) for spec in self.delete_rules)
        return DeleteJudge(rules, self.config.delete)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "family": self.family,
            "plugin": self.plugin.to_json(),
            "delete_rules": [spec.to_json() for spec in self.delete_rules],
            "config": asdict(self.config),
            "payload_ordering": self.payload_ordering,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> RuleSpec:
        """The inverse of `to_dict`."""
        config = dict(value["config"])
        for name in ("record_key", "partition_by", "ordering"):
            config[name] = tuple(config[name])
        config["delete"] = DeleteContext(**config["delete"])
        return cls(
            value["family"],
            PluginSpec.from_json(value["plugin"]),
            tuple(PluginSpec.from_json(spec) for spec in value["delete_rules"]),
            MergerConfig(**config),
            tuple(value["payload_ordering"]),
        )


def resolve_rule(
    given: RuleOptions,
    properties: TableProperties,
    catalogue: Catalogue,
) -> RuleSpec:
    """The rule of a write: what the table says, else what is given, else `event-time` or `commit-time`.

    Raises:
        OptionError: payload and merger together, or a rule, ordering or delete option that the table contradicts.
        UnknownPlugin: the rule is not installed.
    """
    if given.payload and given.merger:
        raise OptionError(f"give a payload or a merger, not both (payload '{given.payload}', merger '{given.merger}')")
    ordering = properties.ordering
    family, name = _choose(given, properties, catalogue)
    spec = catalogue.spec(family, name, _options(given, properties))
    payload_ordering = given.payload_ordering or properties.payload_ordering or ordering
    if family == "merger" and payload_ordering != ordering:
        raise OptionError(
            f"'payload_ordering' is {','.join(payload_ordering)} and 'ordering' is {','.join(ordering) or 'not set'}: "
            f"merger '{spec.name}' has one ordering; use a payload to compare batch and storage by different columns"
        )
    if family == "merger" and given.compat is not None:
        raise OptionError("'compat' chooses between semantics of a payload; a merger has one")
    delete = DeleteContext(
        given.delete_field or properties.delete_field, given.delete_marker or properties.delete_marker
    )
    rules = (given.delete_rule,) if given.delete_rule else properties.delete_rules or default_delete_rules(family, spec.name)
    return RuleSpec(
        family,
        spec,
        tuple(catalogue.spec("delete", rule, {}) for rule in rules),
        MergerConfig(
            record_key=properties.record_key,
            partition_by=properties.partition_by,
            ordering=ordering,
            delete=delete,
            compat=given.compat or "legacy",
            options=_options(given, properties),
        ),
        payload_ordering,
    )


def _choose(given: RuleOptions, properties: TableProperties, catalogue: Catalogue) -> tuple[str, str]:
    stored = properties.rule
    asked = ("payload", given.payload) if given.payload else ("merger", given.merger) if given.merger else None
    if stored is None:
        return asked or ("merger", "event-time" if properties.ordering else "commit-time")  # type: ignore[return-value]
    if asked is not None and asked[1] is not None:
        wanted = (asked[0], catalogue.find(asked[0], asked[1]).name)
        kept = (stored[0], catalogue.find(*stored).name)
        if wanted != kept:
            raise OptionError(
                f"the table's rule is {kept[0]} '{kept[1]}', and {wanted[0]} '{wanted[1]}' was asked for: "
                "two rules on one table give rows that neither of them explains"
            )
    return stored


def _options(given: RuleOptions, properties: TableProperties) -> dict[str, Any]:
    return dict(given.merger_options if given.merger_options is not None else properties.rule_options)
