"""Specification of a table's rule for executors: names, versions and options as JSON."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.merge.delete_rules import DeleteJudge
from hoodoo.merge.plugin_checks import GuardedDeleteRule, check_table
from hoodoo.merge.rule import Rule, whole_versions
from hoodoo.plugin.installed.catalogue import PluginSpec
from hoodoo.record import MergerConfig

__all__ = ["RuleSpec"]


@frozen
class RuleSpec:
    """Specification of a rule and its delete rules by name, version and options.

    Attributes:
        family: `merger` or `payload`.
        plugin: The specification of the rule.
        delete_rules: The specifications of the delete rules.
        config: The settings of the table, for the rule.
        payload_ordering: The ordering columns that a payload compares against storage.
    """

    family: str
    plugin: PluginSpec
    delete_rules: tuple[PluginSpec, ...]
    config: MergerConfig
    payload_ordering: tuple[str, ...]

    def make_rule(self) -> Rule:
        """Return the rule, made from the plugins of this process.

        Raises:
            PluginError: The plugin cannot be used in this process (see `PluginSpec.resolve`).
        """
        plugin = self.plugin.resolve()
        if self.family == "merger":
            return Rule.of_merger(plugin, self.plugin.label, self.config)
        return Rule.of_payload(plugin, self.plugin.label, self.config, self.payload_ordering)

    @property
    def whole_versions(self) -> bool:
        """Return whether the rule claims that it changes no column.

        Raises:
            PluginError: The plugin cannot be used in this process.
        """
        return whole_versions(self.plugin.resolve())

    def make_judge(self) -> DeleteJudge:
        """Return the delete rules, made from the plugins of this process.

        Raises:
            PluginError: A plugin cannot be used in this process (see `PluginSpec.resolve`).
        """
        rules = tuple(GuardedDeleteRule(spec.resolve(), spec.label) for spec in self.delete_rules)
        return DeleteJudge(rules, self.config.delete)

    def check(self, schema: pa.Schema) -> None:
        """Raise the error of the rule or of a delete rule that does not accept a table with these columns.

        Raises:
            SchemaError: A rule does not accept the columns.
            OptionError: The options of a rule do not suit the columns.
            PluginError: A rule cannot be used in this process, or raised an exception that is not a `HoodooError`.
        """
        check_table(self.plugin.resolve(), self.plugin.label, schema, self.config)
        self.make_judge().check(schema)
