"""Actors: processes that use a store, of which a test observes, fails, stops or interleaves the calls.

The thread determines to which actor a call belongs: `acting_as` gives it an actor, whose methods are called before and
after each call to the store.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

__all__ = ["Actor", "acting", "acting_as", "called"]

_T = TypeVar("_T")
_acting = threading.local()


class Actor(Protocol):
    """A process that uses the store."""

    def before(self, operation: str, path: str) -> None:
        """Run before a call takes effect; may raise or wait."""
        ...

    def after(self, operation: str, path: str) -> None:
        """Run once a call has taken effect; may raise."""
        ...


@contextmanager
def acting_as(actor: Actor | None) -> Iterator[None]:
    """Assign the calls of this thread to an actor; with None they are not observed."""
    before = getattr(_acting, "actor", None)
    _acting.actor = actor
    try:
        yield
    finally:
        _acting.actor = before


def acting() -> Actor | None:
    """Return the actor of this thread, or None if it has none."""
    actor: Actor | None = getattr(_acting, "actor", None)
    return actor


def called(operation: str, path: str, work: Callable[[], _T]) -> _T:
    """Run a call to the store as the actor of this thread; the calls within it are not observed."""
    actor = acting()
    if actor is None:
        return work()
    actor.before(operation, path)
    with acting_as(None):
        result = work()
    actor.after(operation, path)
    return result
