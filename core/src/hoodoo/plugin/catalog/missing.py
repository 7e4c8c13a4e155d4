"""One error for several plugins that are not installed."""

from __future__ import annotations

from collections.abc import Iterable

from hoodoo.errors import UnknownPlugin
from hoodoo.plugin.catalog.families import FAMILIES
from hoodoo.plugin.catalog.names import normalised

__all__ = ["all_missing"]


def all_missing(errors: Iterable[UnknownPlugin]) -> UnknownPlugin:
    """Return one error for several plugins that are not installed, with one command for all.

    Of two errors for one plugin, the one with a requirement is taken, otherwise the first one.
    """
    found: dict[object, UnknownPlugin] = {}
    for part in (part for error in errors for part in (error.parts or (error,))):
        key = (part.plugin[0], normalised(part.plugin[1])) if part.plugin else str(part)
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
