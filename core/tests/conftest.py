"""Fixtures of all tests of the core."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from hoodoo.plugin.installed.catalogue import default_catalogue

HEAD = '''
"""A plugin that a test made."""
import random
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, field, frozen
from hoodoo.plugin import RowMerger, hookimpl, option
from hoodoo.record import Choice, Law, Ordering, Outcome
'''
HOOKS = {
    "merger": "hoodoo_merger",
    "payload": "hoodoo_payload",
    "keygen": "hoodoo_keygen",
    "delete": "hoodoo_delete_rule",
    "aggregate": "hoodoo_aggregate",
    "lock": "hoodoo_lock",
    "catalog": "hoodoo_catalog",
}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Yield a function that installs a third-party distribution with one plugin, and returns the plugin's name.

    The plugin is the class `Rule` of the given source. The distribution has the plugin's name, and version 1.0.
    """
    site, made = tmp_path / "site", []
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def install(source: str, family: str = "merger", name: str | None = None) -> str:
        name = name or f"made-{len(made)}"
        module = name.replace("-", "_")
        info = site / f"{module}-1.0.dist-info"
        info.mkdir()
        info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        info.joinpath("entry_points.txt").write_text(f"[hoodoo.{family}]\n{name} = {module}\n")
        hook = f"@hookimpl\ndef {HOOKS[family]}():\n    return Rule\n"
        site.joinpath(f"{module}.py").write_text(f"{HEAD}\n{dedent(source)}\n{hook}")
        made.append(module)
        default_catalogue.cache_clear()
        return name

    yield install
    default_catalogue.cache_clear()
    for module in made:
        sys.modules.pop(module, None)
