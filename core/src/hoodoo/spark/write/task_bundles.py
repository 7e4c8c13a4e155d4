"""Bundles of file slices for tasks, by the size of the slices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["bundled"]

BUNDLE_BYTES = 32 * 1024 * 1024
OPENING_BYTES = 1024 * 1024
"""Cost of opening a slice: the number of bytes that are read in the same time."""

_T = TypeVar("_T")


def bundled(items: Iterable[_T], size: Callable[[_T], int], bundle_bytes: int = BUNDLE_BYTES) -> list[list[_T]]:
    """Return items in bundles, in their order: a large slice has its own bundle, small ones share one.

    Args:
        items: The items, with one slice each.
        size: The function that returns the size in bytes of an item's slice.
        bundle_bytes: The maximum size in bytes of a bundle of several items, with `OPENING_BYTES` for each of them.
    """
    bundles: list[list[_T]] = []
    room = 0
    for item in items:
        cost = size(item) + OPENING_BYTES
        if not bundles or cost > room:
            bundles.append([])
            room = bundle_bytes
        bundles[-1].append(item)
        room -= cost
    return bundles
