"""Errors about plugins that are not installed, with similar names and the `pip` command that installs them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from hoodoo.errors import UnknownPlugin
from hoodoo.plugin.installed.families import FAMILIES
from hoodoo.plugin.installed.info import PluginInfo
from hoodoo.plugin.installed.names import normalised, spellings
from hoodoo.plugin.installed.official import distribution_name, known_names
from hoodoo.plugin.installed.undeclared import Undeclared

__all__ = ["all_missing", "unknown_plugin"]

_NEAR, _CUTOFF = 3, 0.66


def all_missing(errors: Iterable[UnknownPlugin]) -> UnknownPlugin:
    """Return one error for all plugins that are not installed, with one `pip` command for those with a requirement.

    If there are two errors for one plugin, the one with a requirement is used, otherwise the first one.
    """
    found: dict[object, UnknownPlugin] = {}
    for part in (part for error in errors for part in (error.parts or (error,))):
        key = _identity(part)
        if key not in found or (part.requirement and not found[key].requirement):
            found[key] = part
    missing = tuple(found.values())
    if len(missing) == 1:
        return missing[0]
    named = ", ".join(f"{FAMILIES[part.plugin[0]].noun} '{part.plugin[1]}'" for part in missing if part.plugin)
    requirements = list(dict.fromkeys(part.requirement for part in missing if part.requirement))
    command = f"; install them: pip install {' '.join(requirements)}" if requirements else ""
    others = "".join(f"; {part}" for part in missing if not part.requirement)
    return UnknownPlugin(f"{len(missing)} plugins are not installed: {named}{command}{others}", parts=missing)


def _identity(error: UnknownPlugin) -> object:
    """Return a value that is equal for all errors about one plugin, also under different aliases."""
    if error.plugin is None:
        return str(error)
    family, name = error.plugin
    # official plugins have distributions of their own, and are required in any version
    is_official = error.requirement and "==" not in error.requirement
    return family, error.requirement if is_official else normalised(name)


def unknown_plugin(
    name: str, installed: Iterable[PluginInfo], family: str | None = None, undeclared: Iterable[Undeclared] = ()
) -> UnknownPlugin:
    """Return the error for a name that no installed plugin has, in one family or in any family.

    Args:
        name: The name or alias.
        installed: The installed plugins of all families.
        family: The family; None for all.
        undeclared: Distributions that probably have a plugin which is not found.
    """
    installed, undeclared = list(installed), list(undeclared)
    families = [family] if family else list(FAMILIES)
    what = f"no {FAMILIES[family].noun if family else 'plugin'} named '{name}' is installed"
    plugin = None if family is None else (family, name)
    official = [(kind, plugin) for kind in families for plugin in _official(kind, name)]
    requirement = distribution_name(*official[0]) if official else ""

    def error(text: str) -> UnknownPlugin:
        return UnknownPlugin(f"{what}; {text}", plugin=plugin, requirement=requirement)

    misplaced = [one for one in undeclared if normalised(name) in one.names]
    if misplaced:
        return error(f"likely cause: {misplaced[0]}")
    if official:
        return error(" or ".join(_install(*found, name) for found in dict.fromkeys(official)))
    elsewhere = [info for info in installed if info.family not in families and normalised(name) in info.names]
    if elsewhere:
        nouns = [FAMILIES[info.family].noun for info in elsewhere]
        kinds = " and ".join(f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}" for noun in nouns)
        return error(f"'{name}' is {kinds}; correct the name or the family")
    causes = f". Likely cause: {'; '.join(map(str, undeclared[:_NEAR]))}" if undeclared else ""
    near = _near(name, [info for info in installed if info.family in families], families)
    if near:
        return error(f"did you mean {' or '.join(near)}?{causes.removeprefix('.')}")
    names = sorted({info.name for info in installed if info.family in families})
    return error(f"installed: {', '.join(names) if names else 'none'}{causes}")


def _official(family: str, name: str) -> list[str]:
    wanted = normalised(name)
    return [plugin for known, plugin in known_names(family) if wanted in spellings(known)]


def _install(family: str, plugin: str, name: str) -> str:
    line = f"pip install {distribution_name(family, plugin)}"
    return f"try: {line}" if normalised(name) == plugin else f"it is the {FAMILIES[family].noun} '{plugin}': {line}"


def _near(name: str, installed: list[PluginInfo], families: list[str]) -> list[str]:
    """Return similar names as phrases, the most similar first, with a `pip` command for missing official plugins."""
    phrases: dict[str, str] = {}
    for kind in families:
        for known, plugin in known_names(kind):
            for spelling in spellings(known):
                phrases[spelling] = f"'{plugin}' (pip install {distribution_name(kind, plugin)})"
    for info in installed:
        for known in (info.name, *info.aliases):
            for spelling in spellings(known):
                phrases[spelling] = f"'{info.name}'"
    near = difflib.get_close_matches(normalised(name), phrases, n=2 * _NEAR, cutoff=_CUTOFF)
    return list(dict.fromkeys(phrases[match] for match in near))[:_NEAR]
