"""Helpers for tests of wrong plugins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

__all__ = ["Install", "made", "message"]

Install = Callable[..., str]
"""The fixture `install`."""


def made(base: type, name: str, **attributes: Any) -> Any:
    """An instance of a suite, as pytest makes it."""
    return type("TestMade", (base,), {"plugin": name, **attributes})()


def message(test: Callable[..., None], *arguments: Any) -> str:
    """Return the message of a failing test of the kit, which must fit on one screen."""
    with pytest.raises(pytest.fail.Exception) as caught:
        test(*arguments)
    text = str(caught.value)
    assert len(text.splitlines()) <= 20
    return text
