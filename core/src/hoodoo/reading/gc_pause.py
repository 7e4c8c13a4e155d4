"""Pause of garbage collection while many long-lived objects are created."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["without_gc"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


def without_gc(work: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return a function that calls `work` while cyclic garbage collection is disabled.

    Python starts a collection after a number of new objects and then examines all objects. All objects of a plan of
    thousands of files are still in use, and examining them took a quarter of the planning time. Reference counting
    still frees objects that are no longer used.

    The new objects stay in the youngest generation. Moving them to the permanent one (`gc.freeze`) would also reset the
    counts that start a collection, so that a process which plans often would never free cyclic garbage.
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
