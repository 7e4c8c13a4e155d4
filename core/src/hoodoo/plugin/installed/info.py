"""Description of a plugin from the metadata of its distribution, without an import."""

from __future__ import annotations

import re

from attrs import frozen

from hoodoo.plugin.installed.families import FAMILIES
from hoodoo.plugin.installed.names import normalised, spellings

__all__ = ["PluginInfo", "describe"]


@frozen(order=True)
class PluginInfo:
    """Plugin of an installed distribution, as declared in its metadata."""

    family: str
    name: str
    distribution: str
    version: str
    module: str
    aliases: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Return the name of the plugin for messages, with its distribution and version."""
        return describe(self.family, self.name, self.distribution, self.version)

    @property
    def package(self) -> str:
        """Return the top-level package of the plugin's code."""
        return re.split(r"[.:]", self.module)[0].strip()

    @property
    def names(self) -> frozenset[str]:
        """Return the normalised names of the plugin: its own, and all spellings of its aliases."""
        return frozenset({normalised(self.name)}.union(*(spellings(alias) for alias in self.aliases)))


def describe(family: str, name: str, distribution: str, version: str) -> str:
    """Return the family and name of a plugin, with its distribution and version, for messages."""
    return f"{FAMILIES[family].noun} '{name}' ({distribution} {version})"
