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
    """Disable cyclic garbage collection while `work` runs.

    Python starts a collection after a number of new objects and then examines all objects. All objects of a plan of
    thousands of files are still in use, and examining them took a quarter of the planning time. Reference counting
    still frees objects that are no longer used.

    Afterwards the new objects belong to the oldest generation. The next collection of young objects would otherwise
    examine all of them.
    """

    @functools.wraps(work)
    def paused(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        if not gc.isenabled():
            return work(*args, **kwargs)
        gc.disable()
        try:
            return work(*args, **kwargs)
        finally:
            if not gc.get_freeze_count():  # an application may have frozen objects, which stay frozen
                gc.freeze()
                gc.unfreeze()
            gc.enable()

    return paused
