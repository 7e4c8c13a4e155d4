"""The installed plugins: how many there are, which are broken, which are offered twice."""

from __future__ import annotations

from collections.abc import Iterator

from hoodoo.cli.doctor.check import Check, Status
from hoodoo.errors import AmbiguousPlugin, BrokenPlugin, PluginError, PluginNotAllowed
from hoodoo.plugin import Catalogue
from hoodoo.plugin.catalog.families import FAMILIES

__all__ = ["check_plugins"]


def check_plugins(catalogue: Catalogue | None = None) -> Iterator[Check]:
    """One finding per family, and one for each plugin that cannot be used. Every plugin is imported.

    That there is none of a family that no write needs is no finding.
    """
    catalogue = catalogue or Catalogue()
    for family, facts in FAMILIES.items():
        names = list(dict.fromkeys(info.name for info in catalogue.list(family)))
        usable, faults = [], []
        for name in names:
            try:
                catalogue.imported(family, name)
            except PluginError as error:
                faults.append((name, error))
            else:
                usable.append(name)
        subject = f"{facts.noun}s"
        if usable:
            yield Check(subject, Status.OK, f"{len(usable)}: {', '.join(usable)}")
        elif not facts.optional:
            advice = f"`hoodoo plugins list` shows what is installed; `pip install` a distribution hoodoo-{family}-NAME"
            yield Check(subject, Status.WARNING, "none that can be used", advice)
        for name, fault in faults:
            yield Check(f"{facts.noun} {name}", Status.WARNING, str(fault), _advice(fault))


def _advice(error: PluginError) -> str:
    if isinstance(error, AmbiguousPlugin):
        return "uninstall all but one"
    if isinstance(error, PluginNotAllowed):
        return ""
    if isinstance(error, BrokenPlugin):
        return "repair or uninstall it; only a table that uses it is hurt"
    return f"`hoodoo plugins show` tells more (error code {error.code})"
