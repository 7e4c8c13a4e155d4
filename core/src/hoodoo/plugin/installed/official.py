"""The official plugins by name, with their aliases, as `official.json` lists them.

Messages about a missing plugin use the file to show the `pip` command. `tox -e sync` writes it from the project files
of the plugins.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from importlib.resources import files

from packaging.utils import canonicalize_name

from hoodoo.plugin.installed.names import normalised, spellings

__all__ = [
    "distribution_name",
    "is_official",
    "is_official_distribution",
    "known_names",
    "official_names",
    "official_text",
]

FILE = "official.json"


@functools.cache
def _listed() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    text = files("hoodoo.plugin.installed").joinpath(FILE).read_text(encoding="utf-8")
    return {
        family: {name: tuple(aliases) for name, aliases in names.items()} for family, names in json.loads(text).items()
    }


def official_text(projects: Mapping[tuple[str, str], Mapping[str, Mapping[str, str]]]) -> str:
    """Return the content of `official.json`.

    Args:
        projects: The entry points of each plugin's project file, by family and name.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for (family, name), groups in sorted(projects.items()):
        found.setdefault(family, {})[name] = sorted(groups.get(f"hoodoo.{family}.alias", ()))
    return json.dumps(found, indent=2) + "\n"


def official_names(family: str) -> tuple[str, ...]:
    """Return the names of the official plugins of a family, sorted."""
    return tuple(_listed().get(family, {}))


def distribution_name(family: str, name: str) -> str:
    """Return the name of the distribution of an official plugin."""
    return f"hoodoo-{family}-{name}"


def is_official_distribution(family: str, distribution: str) -> bool:
    """Return whether a distribution is that of an official plugin of the family."""
    names = {distribution_name(family, name) for name in official_names(family)}
    return canonicalize_name(distribution) in names


def known_names(family: str) -> Iterator[tuple[str, str]]:
    """Yield every name and alias of the official plugins of a family, with the name of the plugin."""
    for name, aliases in _listed().get(family, {}).items():
        yield name, name
        for alias in aliases:
            yield alias, name


def is_official(family: str, name: str) -> bool:
    """Return whether an official plugin of the family has this name or alias."""
    wanted = normalised(name)
    return any(wanted in spellings(known) for known, _ in known_names(family))
