"""Work on files in threads; reading from stores and decoding by Arrow release Python's global lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["in_threads"]

_AT_ONCE = 16
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_threads(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
    """Return the result of a function for each item, in order, and raise the first error."""
    if len(items) < 2:
        return list(map(work, items))
    with ThreadPoolExecutor(min(_AT_ONCE, len(items))) as pool:
        return list(pool.map(work, items))
