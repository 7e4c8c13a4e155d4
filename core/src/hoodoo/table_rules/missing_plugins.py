"""Error for the plugins of a table that are not installed, with the distributions that provided them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from hoodoo.errors import UnknownPlugin
from hoodoo.plugin.installed.catalogue import Catalogue, PluginSpec
from hoodoo.plugin.installed.families import FAMILIES
from hoodoo.plugin.installed.names import normalised
from hoodoo.plugin.installed.plugin_spec import ShippedPlugin
from hoodoo.plugin.installed.suggestions import all_missing
from hoodoo.properties.property_keys import DISTRIBUTIONS

__all__ = ["all_missing", "both", "distributions_of", "missing_names", "naming_writers"]

T = TypeVar("T")
U = TypeVar("U")


def distributions_of(specs: Iterable[PluginSpec]) -> dict[str, str]:
    """Return the property of a new table with the distributions of its plugins and of the plugins that these use."""
    plugins: list[ShippedPlugin] = [plugin for spec in specs for plugin in (spec, *spec.uses)]
    named = {f"{plugin.family}:{plugin.name}": f"{plugin.distribution}=={plugin.version}" for plugin in plugins}
    return {DISTRIBUTIONS: json.dumps(named, sort_keys=True)}


def both(first: Callable[[], T], second: Callable[[], U]) -> tuple[T, U]:
    """Return the results of two functions that look plugins up.

    Raises:
        UnknownPlugin: At least one plugin is missing; the error lists the missing plugins of both functions.
    """
    try:
        found = first()
    except UnknownPlugin as error:
        try:
            second()
        except UnknownPlugin as other:
            raise all_missing([error, other]) from other
        raise
    return found, second()


def missing_names(family: str, names: Iterable[str], catalogue: Catalogue) -> list[UnknownPlugin]:
    """Return an error for each of the named plugins of a family that is not installed.

    Raises:
        PluginError: As `Catalogue.find`, except `UnknownPlugin`.
    """
    missing = []
    for name in names:
        try:
            catalogue.find(family, name)
        except UnknownPlugin as error:
            missing.append(error)
    return missing


@contextmanager
def naming_writers(properties: Mapping[str, str]) -> Iterator[None]:
    """Add to an error about missing plugins the distributions that a table stores for them.

    Raises:
        UnknownPlugin: The block raised it; for plugins that are not official, the message has the distributions.
    """
    try:
        yield
    except UnknownPlugin as error:
        written = _distributions(properties)
        parts = [_with_writer(part, written) for part in (error.parts or (error,))]
        raise all_missing(parts) from error


def _distributions(properties: Mapping[str, str]) -> dict[tuple[str, str], str]:
    try:
        stored = json.loads(properties.get(DISTRIBUTIONS) or "{}")
    except ValueError:
        stored = {}  # the entry serves only this message, whose error is raised anyway
    if not isinstance(stored, dict):
        return {}
    pairs = ((key.partition(":"), str(value)) for key, value in stored.items())
    return {(family, normalised(name)): requirement for (family, _, name), requirement in pairs}


def _with_writer(error: UnknownPlugin, written: Mapping[tuple[str, str], str]) -> UnknownPlugin:
    if error.plugin is None or error.requirement:
        return error  # any version of an official plugin is sufficient
    family, name = error.plugin
    requirement = written.get((family, normalised(name)))
    if requirement is None:
        return error
    text = (
        f"{FAMILIES[family].noun} '{name}' of this table is not installed; {requirement.replace('==', ' ')} provided "
        f"it when the table was created: pip install {requirement}"
    )
    return UnknownPlugin(text, plugin=error.plugin, requirement=requirement)
