"""The known differences of the built-in rules, read from the tests of their plugins."""

from __future__ import annotations

import functools
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from hoodoo.testing.differences import Difference

__all__ = ["RULES", "differences_of"]

_PLUGINS = Path(__file__).resolve().parents[3] / "plugins"

RULES = [(f.parent.name, f.name) for family in ("payload", "merger") for f in sorted(_PLUGINS.glob(f"{family}/*"))]


@functools.cache
def differences_of(family: str, rule: str) -> tuple[Difference, ...]:
    """Return the differences that the test of a rule lists."""
    file = _PLUGINS / family / rule / "tests" / f"test_{family}_{rule.replace('-', '_')}.py"
    spec = spec_from_file_location(f"known_differences_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return tuple(getattr(module, "DIFFERENCES", ()))
