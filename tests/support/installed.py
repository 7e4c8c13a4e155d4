"""Distributions of one module that tests install, as an installer would."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hoodoo.plugin import default_catalogue

__all__ = ["installed", "write_distribution"]


def write_distribution(site: Path, name: str, module: str, source: str, entry_points: str) -> None:
    """Write a distribution of version 1.0 into a folder: its metadata, and a module with a source."""
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text(entry_points)
    site.joinpath(f"{module}.py").write_text(source)


@contextmanager
def installed(
    site: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str, source: str, entry_points: str
) -> Iterator[None]:
    """Install a distribution in this process for the time of a `with` block."""
    write_distribution(site, name, module, source, entry_points)
    monkeypatch.syspath_prepend(str(site))
    default_catalogue.cache_clear()
    yield
    sys.modules.pop(module, None)
    default_catalogue.cache_clear()
