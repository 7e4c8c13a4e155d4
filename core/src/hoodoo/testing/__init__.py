"""For authors of plugins: suites that prove a plugin, and merge vectors run against what is installed.

The suites need pytest and hypothesis: `pip install "hoodoo-core[test]"`. They are imported when first used, so that
`python -m hoodoo.testing.vectors` needs neither.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hoodoo.testing.columns import DeleteRuleSuite, KeyGeneratorSuite
    from hoodoo.testing.differences import Difference
    from hoodoo.testing.functions import AggregateSuite
    from hoodoo.testing.locks import LockSuite
    from hoodoo.testing.paths import Path
    from hoodoo.testing.pools import LACKING
    from hoodoo.testing.rules import MergerSuite, PayloadSuite
    from hoodoo.testing.suite import replaces

__all__ = [
    "LACKING",
    "AggregateSuite",
    "DeleteRuleSuite",
    "Difference",
    "KeyGeneratorSuite",
    "LockSuite",
    "MergerSuite",
    "Path",
    "PayloadSuite",
    "replaces",
]

_HOMES = {
    "AggregateSuite": "functions",
    "DeleteRuleSuite": "columns",
    "Difference": "differences",
    "KeyGeneratorSuite": "columns",
    "LACKING": "pools",
    "LockSuite": "locks",
    "MergerSuite": "rules",
    "Path": "paths",
    "PayloadSuite": "rules",
    "replaces": "suite",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its home when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hoodoo.testing' has no attribute '{name}'")
    value = getattr(import_module(f"hoodoo.testing.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
