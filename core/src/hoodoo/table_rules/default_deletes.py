"""The delete rules of a rule where neither the user nor the table names any."""

from __future__ import annotations

from hoodoo.options import defaults
from hoodoo.plugin.base import RuleMembers
from hoodoo.plugin.catalog.catalog import Catalogue

__all__ = ["default_delete_rules"]


def default_delete_rules(family: str, name: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Return names of delete rules; a row is a delete where any of them finds one.

    Raises:
        PluginError: The merger or payload of this name is not installed or cannot be loaded.
    """
    return catalogue.load(family, name).declared(RuleMembers).delete_rules or defaults.DELETE_RULES[family]
