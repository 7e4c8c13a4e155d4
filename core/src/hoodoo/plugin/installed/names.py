"""Comparison of plugin names, which are not case-sensitive: `-` equals `_`, and Java classes have short names."""

from __future__ import annotations

import re

__all__ = ["normalised", "spellings"]


_HUDI = "org.apache.hudi."
"""Package of Hudi's classes. Releases moved classes to other packages; the short names in a family are unique."""


def normalised(name: str) -> str:
    """Return a name in the form for comparison; a Java class of Hudi is shortened to its name without package."""
    name = name.strip()
    if name.startswith(_HUDI):
        name = _short(name)
    return name.lower().replace("_", "-")


def _short(name: str) -> str:
    return re.split(r"[.$]", name)[-1]


def spellings(alias: str) -> set[str]:
    """Return the normalised forms of an alias: itself and, for a Java class, its name without package."""
    short = _short(alias)
    return {normalised(alias), normalised(short)} if short[:1].isupper() else {normalised(alias)}
