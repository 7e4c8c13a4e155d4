"""Default delete rules of a merge rule, if neither the table nor the write names any."""

from __future__ import annotations

from hoodoo.options import default_plugins
from hoodoo.plugin.base import RuleMembers
from hoodoo.plugin.installed.catalogue import Catalogue

__all__ = ["default_delete_rules"]


def default_delete_rules(family: str, name: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the names of the default delete rules of a merger or payload; a row is a delete if one of them matches.

    Raises:
        PluginError: As `Catalogue.load`, for the merger or payload.
    """
    return catalogue.load(family, name).declared(RuleMembers).delete_rules or default_plugins.DELETE_RULES[family]
