"""Comparison of plugin names: `-` equals `_`, case does not count, and Java classes have short names."""

from __future__ import annotations

import re

__all__ = ["normalised", "spellings"]


def normalised(name: str) -> str:
    """Return a name in the form for comparison."""
    return name.strip().lower().replace("_", "-")


def spellings(alias: str) -> set[str]:
    """Return the normalised forms of an alias: itself and, for a Java class, its name without package."""
    short = re.split(r"[.$]", alias)[-1]
    return {normalised(alias), normalised(short)} if short[:1].isupper() else {normalised(alias)}
