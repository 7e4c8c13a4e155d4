"""Test kit for authors of plugins: test suites, and a runner of merge vectors for the installed plugins.

The suites need pytest and hypothesis: `pip install "hoodoo-core[test]"`. They are imported on first use, so that
`python -m hoodoo.testing.vectors` needs neither.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hoodoo.testing.data.value_pools import LACKING
    from hoodoo.testing.differences import Difference
    from hoodoo.testing.paths.table_paths import Path
    from hoodoo.testing.suites.catalog_suite import CatalogSuite
    from hoodoo.testing.suites.column_suites import DeleteRuleSuite, KeyGeneratorSuite
    from hoodoo.testing.suites.function_suite import AggregateSuite
    from hoodoo.testing.suites.lock_suite import LockSuite
    from hoodoo.testing.suites.plugin_suite import replaces
    from hoodoo.testing.suites.rule_suites import MergerSuite, PayloadSuite

__all__ = [
    "LACKING",
    "AggregateSuite",
    "CatalogSuite",
    "DeleteRuleSuite",
    "Difference",
    "KeyGeneratorSuite",
    "LockSuite",
    "MergerSuite",
    "Path",
    "PayloadSuite",
    "replaces",
]

_MODULES = {
    "AggregateSuite": "suites.function_suite",
    "CatalogSuite": "suites.catalog_suite",
    "DeleteRuleSuite": "suites.column_suites",
    "Difference": "differences",
    "KeyGeneratorSuite": "suites.column_suites",
    "LACKING": "data.value_pools",
    "LockSuite": "suites.lock_suite",
    "MergerSuite": "suites.rule_suites",
    "Path": "paths.table_paths",
    "PayloadSuite": "suites.rule_suites",
    "replaces": "suites.plugin_suite",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its module on first use."""
    if name not in _MODULES:
        raise AttributeError(f"module 'hoodoo.testing' has no attribute '{name}'")
    value = getattr(import_module(f"hoodoo.testing.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
