"""What is known about a plugin without importing it."""

from __future__ import annotations

from attrs import frozen

from hoodoo.plugin.catalog.families import FAMILIES
from hoodoo.plugin.catalog.names import normalised, spellings

__all__ = ["PluginInfo", "describe"]


@frozen(order=True)
class PluginInfo:
    """One plugin of one installed distribution, as its metadata says."""

    family: str
    name: str
    distribution: str
    version: str
    module: str
    aliases: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The plugin with the distribution and version that offer it, as messages name it."""
        return describe(self.family, self.name, self.distribution, self.version)

    @property
    def names(self) -> frozenset[str]:
        """The normalised names that it is found by: its own, and all spellings of its aliases."""
        return frozenset({normalised(self.name)}.union(*(spellings(alias) for alias in self.aliases)))


def describe(family: str, name: str, distribution: str, version: str) -> str:
    """A plugin as messages name it."""
    return f"{FAMILIES[family].noun} '{name}' ({distribution} {version})"
