"""Fixtures with the installed recipes of docs/cookbook."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoodoo.plugin import default_catalogue

from .installed import install
from .pages import RECIPES


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the recipes, and return the folder."""
    return install(tmp_path_factory.mktemp("cookbook") / "site")


@pytest.fixture(scope="module")
def recipes(site: Path) -> Iterator[None]:
    """Make the installed recipes importable during the tests of a module."""
    sys.path.insert(0, str(site))
    default_catalogue.cache_clear()
    yield
    sys.path.remove(str(site))
    for module in [name for name in sys.modules if name.endswith(tuple(name.replace("-", "_") for name in RECIPES))]:
        if str(site) in str(getattr(sys.modules[module], "__file__", "")):
            del sys.modules[module]
    default_catalogue.cache_clear()
