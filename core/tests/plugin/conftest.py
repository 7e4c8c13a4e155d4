"""Fixtures: folders with distributions of plugins."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from textwrap import dedent

import pytest
from attrs import define

from hoodoo.plugin import Catalogue

MERGER = '''
    """The newer arrival wins."""
    from attrs import frozen
    from hoodoo.plugin import hookimpl, option
    from hoodoo.record import Choice, Outcome

    @frozen
    class Newest:
        laws = frozenset()
        def merge(self, older, newer, context, config):
            return Outcome.all(Choice.TAKE, len(newer))

    @hookimpl
    def hoodoo_merger():
        return Newest
'''


@define
class Site:
    """Folder with distributions as an installer creates them, on `sys.path`."""

    path: Path

    def install(
        self,
        name: str,
        entry_points: Mapping[str, Mapping[str, str]],
        modules: Mapping[str, str] | None = None,
        version: str = "1.0",
        requires: Sequence[str] = (),
    ) -> None:
        """Write a distribution: its metadata, its entry points by group, and the source of its modules."""
        info = self.path / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {requirement}" for requirement in requires]
        info.joinpath("METADATA").write_text("\n".join(lines) + "\n")
        groups = []
        for group, points in entry_points.items():
            groups += [f"[{group}]", *(f"{point} = {module}" for point, module in points.items())]
        info.joinpath("entry_points.txt").write_text("\n".join(groups) + "\n")
        for module, source in (modules or {}).items():
            self.path.joinpath(f"{module}.py").write_text(dedent(source))

    def install_merger(self, plugin: str, source: str = MERGER, **others: object) -> None:
        """Write a distribution of one merger: `fake-<plugin>` with module `fake_<plugin>`."""
        module = f"fake_{plugin.replace('-', '_')}"
        self.install(f"fake-{plugin}", {"hoodoo.merger": {plugin: module}}, {module: source}, **others)

    def catalogue(self, allow: Sequence[str] | None = None) -> Catalogue:
        """Return a catalogue of the plugins of this folder only."""
        points = [point for found in metadata.distributions(path=[str(self.path)]) for point in found.entry_points]
        return Catalogue(points, allow)

    @property
    def modules(self) -> set[str]:
        """Return the names of the modules of this folder that are imported."""
        return {name for name in sys.modules if (self.path / f"{name}.py").exists()}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    path = tmp_path / "site"
    path.mkdir()
    monkeypatch.syspath_prepend(str(path))
    monkeypatch.delenv("HOODOO_PLUGINS", raising=False)
    installed = Site(path)
    yield installed
    for name in installed.modules:
        del sys.modules[name]


@pytest.fixture
def explodes() -> Callable[[str], str]:
    """Return a function from a name to the source of a module whose import fails."""
    return lambda name: f"raise AssertionError('{name} was imported')\n"
