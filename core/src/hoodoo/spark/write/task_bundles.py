"""Bundles of file slices for tasks, by the bytes of the slices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["bundled"]

BUNDLE_BYTES = 32 * 1024 * 1024
OPENING_BYTES = 1024 * 1024
"""What opening a slice costs, in bytes that are read in the same time."""

_T = TypeVar("_T")


def bundled(items: Iterable[_T], size: Callable[[_T], int], bundle_bytes: int = BUNDLE_BYTES) -> list[list[_T]]:
    """Return items in bundles: a large slice has its own, small ones share one, in their order.

    Args:
        items: What is done with a slice each.
        size: Bytes of an item's slice.
        bundle_bytes: What a bundle gets, unless a single item is larger.
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
