"""Checks of the installed plugins: their number, plugins that cannot be used, and undeclared plugins."""

from __future__ import annotations

from collections.abc import Iterator

from hoodoo.cli.doctor.check_result import Check, Status
from hoodoo.errors import AmbiguousPlugin, BrokenPlugin, PluginError, PluginNotAllowed
from hoodoo.plugin import Catalogue
from hoodoo.plugin.installed.families import FAMILIES
from hoodoo.plugin.installed.undeclared import undeclared_plugins

__all__ = ["check_plugins"]


def check_plugins(catalogue: Catalogue | None = None) -> Iterator[Check]:
    """Yield one check per family, and one for each plugin that cannot be used. All allowed plugins are imported.

    A family without usable plugins is reported only if writes need one. Distributions that probably have a plugin but
    declare none are reported too.
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
            advice = f"run `pip install hoodoo-{family}-NAME`; `hoodoo plugins list` shows the installed plugins"
            yield Check(subject, Status.WARNING, "no usable plugin is installed", advice)
        for name, fault in faults:
            yield Check(f"{facts.noun} {name}", Status.WARNING, str(fault), _advice(fault))
    for undeclared in undeclared_plugins():
        found, _, advice = undeclared.problem.partition(": ")
        subject = f"distribution {undeclared.distribution} {undeclared.version}"
        yield Check(subject, Status.WARNING, found, advice)


def _advice(error: PluginError) -> str:
    if isinstance(error, AmbiguousPlugin):
        return "uninstall all but one"
    if isinstance(error, PluginNotAllowed):
        return ""
    if isinstance(error, BrokenPlugin):
        return "repair or uninstall it; only tables that use it are affected"
    return f"run `hoodoo plugins show NAME` for details (error code {error.code})"
