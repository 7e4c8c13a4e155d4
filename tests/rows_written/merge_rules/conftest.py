"""A rule of a test, installed as a plugin."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoodoo.plugin import default_catalogue

from .source_priority import RULE


@pytest.fixture
def source_priority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the rule of the module of this name."""
    site = tmp_path / "site"
    info = site / "source_priority-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: source-priority\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text("[hoodoo.merger]\nsource-priority = source_priority_rule\n")
    site.joinpath("source_priority_rule.py").write_text(RULE)
    monkeypatch.syspath_prepend(str(site))
    default_catalogue.cache_clear()
    yield
    sys.modules.pop("source_priority_rule", None)
    default_catalogue.cache_clear()
