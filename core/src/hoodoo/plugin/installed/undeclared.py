"""Search for installed distributions that probably have a plugin, but declare none that hoodoo finds."""

from __future__ import annotations

import difflib
import itertools
import json
import re
from collections.abc import Iterator
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path
from urllib.parse import unquote, urlsplit

from attrs import frozen
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from hoodoo.plugin.installed.families import FAMILIES
from hoodoo.plugin.installed.names import normalised

__all__ = ["Undeclared", "undeclared_plugins"]

_CORE = "hoodoo-core"
_PREFIX = "hoodoo."
_GROUPS = tuple(group for family in FAMILIES.values() for group in (family.group, family.alias_group))
_HOOK = re.compile(r"^@(?:\w+\.)*hookimpl\b.*\n(?:@.*\n)*def (\w+)\(", re.MULTILINE)
_FAMILIES = {family.hook: family for family in FAMILIES.values()}
_MOST_FILES = 500
_NO_SOURCES = {"tests", "test", "build", "dist", "docs", "node_modules", "venv"}


@frozen
class Undeclared:
    """Distribution that probably has a plugin, but does not declare it correctly.

    Attributes:
        distribution: The name of the distribution.
        version: The version of the distribution; "?" if its metadata has none.
        problem: The reason why its plugin is not found, and the correction.
        names: Normalised names of its entry points in groups that hoodoo does not have.
    """

    distribution: str
    version: str
    problem: str
    names: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{self.distribution} {self.version} {self.problem}"


def undeclared_plugins() -> list[Undeclared]:
    """Return the distributions of this environment that probably have a plugin, sorted by name; nothing is imported."""
    found = {}
    for distribution in distributions():
        name = distribution.name
        if name and name not in found and (undeclared := _examined(distribution)) is not None:
            found[name] = undeclared
    return [found[name] for name in sorted(found)]


def _examined(distribution: Distribution) -> Undeclared | None:
    points = [point for point in distribution.entry_points if point.group.startswith(_PREFIX)]
    unknown = [point for point in points if point.group not in _GROUPS]
    if unknown:
        names = frozenset(normalised(point.name) for point in unknown)
        return Undeclared(distribution.name, distribution.version or "?", _misplaced(unknown), names)
    if points or not _requires_core(distribution):
        return None
    return next((_without_point(distribution, path) for path in _sources(distribution) if _hook_in(path)), None)


def _misplaced(points: list[EntryPoint]) -> str:
    kinds = [group.removeprefix(_PREFIX) for group in _GROUPS]
    near = difflib.get_close_matches(points[0].group.removeprefix(_PREFIX), kinds, n=1, cutoff=0.6)
    families = f'[project.entry-points."{_PREFIX}{near[0]}"]' if near else f"one of {', '.join(_GROUPS[::2])}"
    named = ", ".join(f"'{point.name}'" for point in points)
    return (
        f"declares {named} in entry point group '{points[0].group}', which hoodoo does not have: write {families} in "
        "its pyproject.toml and install it again"
    )


def _without_point(distribution: Distribution, path: Path) -> Undeclared:
    family = _FAMILIES.get(_hook_in(path))
    group = family.group if family else f"{_PREFIX}FAMILY"
    module = path.parent.name if path.name == "__init__.py" else path.stem
    problem = (
        f'has a plugin in module {module} and declares no entry point: write [project.entry-points."{group}"] with '
        f'NAME = "{module}" in its pyproject.toml and install it again'
    )
    return Undeclared(distribution.name, distribution.version or "?", problem)


def _requires_core(distribution: Distribution) -> bool:
    for text in distribution.requires or ():
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue  # the loader of a plugin reports it
        if canonicalize_name(requirement.name) == _CORE and "extra" not in str(requirement.marker or ""):
            return True
    return False


def _sources(distribution: Distribution) -> Iterator[Path]:
    """Yield at most 500 Python files of a distribution; those of an editable installation are in its project folder."""
    folder = _project_folder(distribution)
    if folder is not None:
        found = (path for path in sorted(folder.rglob("*.py")) if _is_source(path.relative_to(folder)))
    else:
        found = (Path(str(distribution.locate_file(file))) for file in distribution.files or () if file.suffix == ".py")
    return itertools.islice(found, _MOST_FILES)


def _project_folder(distribution: Distribution) -> Path | None:
    text = distribution.read_text("direct_url.json")
    if not text:
        return None
    direct = json.loads(text)
    if not direct.get("dir_info", {}).get("editable"):
        return None
    return Path(unquote(urlsplit(direct["url"]).path))


def _is_source(path: Path) -> bool:
    return not any(part.startswith(".") or part in _NO_SOURCES for part in path.parts[:-1])


def _hook_in(path: Path) -> str:
    """Return the name of the first function in a file that is marked as a hook of hoodoo; "" if there is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""  # a file that a distribution lists may be missing, and then has no plugin
    found = _HOOK.search(text) if "hoodoo" in text else None
    return found[1] if found else ""
