"""Helpers for tests of wrong plugins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hoodoo.testing import MergerSuite

__all__ = ["PATCH", "TAKE", "TEXT", "Install", "made", "merger", "message", "suite"]

Install = Callable[..., str]
"""Type of the fixture `install`."""

TAKE = "return Outcome.all(Choice.TAKE, len(newer))"
PATCH = "return Outcome(np.ones(len(newer), np.int8), {{{!r}: {}}})".format
TEXT = 'pc.binary_join_element_wise(older.column("v"), newer.column("v"), "")'


def made(base: type, name: str, **attributes: Any) -> Any:
    """Return an instance of a suite, created as pytest creates it."""
    return type("TestMade", (base,), {"plugin": name, **attributes})()


def message(test: Callable[..., None], *arguments: Any) -> str:
    """Return the message of a failing test of the kit, which must have at most 20 lines."""
    with pytest.raises(pytest.fail.Exception) as caught:
        test(*arguments)
    text = str(caught.value)
    assert len(text.splitlines()) <= 20
    return text


def suite(name: str, base: type = MergerSuite, **attributes: Any) -> Any:
    """Return a suite, for mergers by default."""
    return made(base, name, **attributes)


def merger(body: str, laws: str = "Law.REPLAY_SAFE") -> str:
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    return (
        f"@frozen\nclass Rule:\n    laws = frozenset({{{laws}}})\n\n"
        f"    def merge(self, older, newer, context, config):\n{lines}\n"
    )
