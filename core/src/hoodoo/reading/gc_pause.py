"""Garbage collection while very many objects are made that all stay."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["uncollected"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


def uncollected(work: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let no garbage collection look for what is garbage among the objects that `work` makes.

    Python collects by how many objects were made, and looks through all that there are: of a plan of thousands of files
    every object stays, and a quarter of the time went into looking. What is no longer referred to is freed all the
    same.
    """

    @functools.wraps(work)
    def paused(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        if not gc.isenabled():
            return work(*args, **kwargs)
        gc.disable()
        try:
            return work(*args, **kwargs)
        finally:
            gc.enable()

    return paused
