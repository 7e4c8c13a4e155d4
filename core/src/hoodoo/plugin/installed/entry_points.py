"""Installed plugins and their names, read from the metadata of distributions without importing them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from importlib.metadata import Distribution, EntryPoint

from attrs import define, field, frozen

from hoodoo.errors import AmbiguousPlugin, BrokenPlugin
from hoodoo.plugin.installed.families import FAMILIES
from hoodoo.plugin.installed.info import PluginInfo
from hoodoo.plugin.installed.names import normalised, spellings
from hoodoo.plugin.installed.official import is_official_distribution

__all__ = ["DeclaredPlugin", "Directory"]


@frozen
class DeclaredPlugin:
    """Plugin and the entry point that declares it."""

    info: PluginInfo
    entry_point: EntryPoint


@frozen
class Directory:
    """Plugins that entry points declare, and aliases without a plugin."""

    entries: tuple[DeclaredPlugin, ...]
    dangling: tuple[PluginInfo, ...]

    @classmethod
    def of(cls, entry_points: Iterable[EntryPoint]) -> Directory:
        """Read the entry points of hoodoo's groups; ignore all others."""
        groups: dict[str, list[EntryPoint]] = {}
        for point in entry_points:
            groups.setdefault(point.group, []).append(point)
        entries: dict[PluginInfo, DeclaredPlugin] = {}
        dangling: list[PluginInfo] = []
        origins = _Origins()
        for family in FAMILIES.values():
            aliases: dict[tuple[str, str], set[str]] = {}
            for point in groups.get(family.alias_group, []):
                aliases.setdefault(origins.target(point), set()).add(point.name)
            plugins = groups.get(family.group, [])
            for point in plugins:
                info = origins.info(family.name, point, aliases.get(origins.target(point), set()))
                entries[info] = DeclaredPlugin(info, point)
            for target in aliases.keys() - {origins.target(point) for point in plugins}:
                points = groups[family.alias_group]
                dangling += [origins.info(family.name, p, set()) for p in points if origins.target(p) == target]
        return cls(tuple(entries[info] for info in sorted(entries)), tuple(dangling))

    def infos(self, family: str | None = None) -> list[PluginInfo]:
        """Return the plugins of a family, or of all families, sorted by family, name and distribution."""
        return [entry.info for entry in self.entries if family in (None, entry.info.family)]

    @cached_property
    def _named(self) -> dict[tuple[str, str], list[DeclaredPlugin]]:
        """Return the plugins by family and normalised name."""
        named: dict[tuple[str, str], list[DeclaredPlugin]] = {}
        for entry in self.entries:
            for name in entry.info.names:
                named.setdefault((entry.info.family, name), []).append(entry)
        return named

    def find(self, family: str, name: str) -> DeclaredPlugin | None:
        """Return the plugin of a name or alias, or None if there is none.

        Raises:
            AmbiguousPlugin: Several plugins have the name.
            BrokenPlugin: The name is an alias of a module that its distribution does not declare as a plugin.
        """
        wanted = normalised(name)
        found = self._named.get((family, wanted), [])
        if len(found) > 1:
            raise AmbiguousPlugin(_several(FAMILIES[family].noun, name, found))
        if found:
            return found[0]
        for info in self.dangling:
            if info.family == family and wanted in spellings(info.name):
                raise BrokenPlugin(
                    f"{info.distribution} {info.version} declares '{info.name}' as an alias of module {info.module}, "
                    f"which is not in its entry point group '{FAMILIES[family].group}'; uninstall the distribution, or "
                    "correct its entry points"
                )
        return None


def _several(noun: str, name: str, found: list[DeclaredPlugin]) -> str:
    distributions = sorted({entry.info.distribution for entry in found})
    if len(distributions) == 1:
        plugins = " or ".join(f"'{entry.info.name}'" for entry in found)
        return f"{noun} '{name}' could be {plugins} of {distributions[0]}; use the name of one of them"
    offers = " and ".join(
        f"{entry.info.distribution} {entry.info.version}"
        + ("" if normalised(entry.info.name) == normalised(name) else f" (as an alias of '{entry.info.name}')")
        for entry in sorted(found, key=lambda entry: entry.info.distribution)
    )
    return f"{noun} '{name}' is offered by {offers}; {_removal(found)}"


def _removal(found: list[DeclaredPlugin]) -> str:
    """Return advice to uninstall all but one of several plugins with one name; an official plugin remains."""
    official = [entry for entry in found if is_official_distribution(entry.info.family, entry.info.distribution)]
    others = sorted({entry.info.distribution for entry in found if entry not in official})
    commands = [f"pip uninstall {distribution}" for distribution in others]
    if official:
        return f"keep {official[0].info.distribution}, which is the official one: {' and '.join(commands)}"
    return f"uninstall all but one: {' or '.join(commands)}"


@define
class _Origins:
    """Names and versions of distributions, read once each: `importlib.metadata` parses the metadata at each access."""

    _known: dict[int, tuple[Distribution | None, tuple[str, str]]] = field(factory=dict, init=False)

    def of(self, point: EntryPoint) -> tuple[str, str]:
        """Return the name and the version of the distribution of an entry point."""
        # the distribution is kept with its id, so that no other object gets the id
        key = id(point.dist)
        if key not in self._known:
            self._known[key] = point.dist, _origin(point.dist)
        return self._known[key][1]

    def target(self, point: EntryPoint) -> tuple[str, str]:
        """Return the distribution and module of an entry point, which an alias has in common with its plugin."""
        return self.of(point)[0], point.value

    def info(self, family: str, point: EntryPoint, aliases: set[str]) -> PluginInfo:
        """Return the plugin that an entry point declares."""
        return PluginInfo(family, point.name, *self.of(point), point.value, tuple(sorted(aliases)))


def _origin(distribution: Distribution | None) -> tuple[str, str]:
    if distribution is None or not (distribution.read_text("METADATA") or distribution.read_text("PKG-INFO")):
        # a distribution that was removed in part still has its entry points
        return "unknown distribution", "?"
    return distribution.name or "unknown distribution", distribution.version or "?"
