"""Fixture that installs the merge rule `source-priority` as a plugin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.installed import installed

from .source_priority import RULE


@pytest.fixture
def source_priority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the rule of the module `source_priority`."""
    entry_points = "[hoodoo.merger]\nsource-priority = source_priority_rule\n"
    with installed(tmp_path / "site", monkeypatch, "source-priority", "source_priority_rule", RULE, entry_points):
        yield
