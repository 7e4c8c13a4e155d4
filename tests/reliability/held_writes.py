"""Writes that keep the table lock, which a test publishes in place of their timers."""

from __future__ import annotations

import threading
from weakref import WeakKeyDictionary

from hoodoo.txn.held_write import HeldWrite

from .actors import Actor, acting

__all__ = ["publish_own", "without_timer"]

_owners: WeakKeyDictionary[HeldWrite, Actor | None] = WeakKeyDictionary()


def without_timer(held: HeldWrite) -> None:
    """Give a write that keeps the table lock a timer that is not started, so that only a test publishes the write."""
    held._timer = threading.Timer(0, held.publish)
    _owners[held] = acting()


def publish_own() -> None:
    """Publish the writes of this actor that keep the table lock, as their timers do."""
    for held, owner in list(_owners.items()):
        if owner is acting():
            held.publish()
