"""The allow-list: the installed plugins that may run.

The environment variable HOODOO_PLUGINS is a comma-separated list of entries: `family:name`, the name of a distribution,
or `builtin` for the official plugins. If the variable is not set, every plugin may run; if it is empty, none may.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from packaging.utils import canonicalize_name

from hoodoo.plugin.installed.families import family_of
from hoodoo.plugin.installed.info import PluginInfo
from hoodoo.plugin.installed.names import normalised
from hoodoo.plugin.installed.official import distribution_name, official_names

__all__ = ["BUILTIN", "VARIABLE", "allowed_by", "allowed_by_environment"]

VARIABLE = "HOODOO_PLUGINS"
BUILTIN = "builtin"


def allowed_by_environment(info: PluginInfo) -> bool:
    """Return whether HOODOO_PLUGINS permits the plugin; true if the variable is not set.

    Raises:
        OptionError: An entry names a family that does not exist.
    """
    text = os.environ.get(VARIABLE)
    return text is None or allowed_by(text.split(","), info)


def allowed_by(entries: Iterable[str], info: PluginInfo) -> bool:
    """Return whether one of the entries names the plugin.

    Raises:
        OptionError: An entry names a family that does not exist.
    """
    # check every entry, so that a misspelt family is always reported
    matches = [_names(entry.strip(), info) for entry in entries]
    return any(matches)


def _names(entry: str, info: PluginInfo) -> bool:
    if entry == BUILTIN:
        return _is_official(info)
    family, colon, name = entry.partition(":")
    if colon:
        return family_of(family.strip()).name == info.family and normalised(name) == normalised(info.name)
    return bool(entry) and canonicalize_name(entry) == canonicalize_name(info.distribution)


def _is_official(info: PluginInfo) -> bool:
    wanted = distribution_name(info.family, info.name)
    return info.name in official_names(info.family) and canonicalize_name(info.distribution) == wanted
