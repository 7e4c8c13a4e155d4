"""Names of plugins as they compare: `-` and `_` are alike, case does not count, Java classes have short names."""

from __future__ import annotations

import re

__all__ = ["normalised", "spellings"]


def normalised(name: str) -> str:
    """The form in which two names are compared."""
    return name.strip().lower().replace("_", "-")


def spellings(alias: str) -> set[str]:
    """The normalised forms that an alias is found by: itself and, for a Java class, its name without package."""
    short = re.split(r"[.$]", alias)[-1]
    return {normalised(alias), normalised(short)} if short[:1].isupper() else {normalised(alias)}
