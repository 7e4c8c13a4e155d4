"""An actor that lets another one work at a moment of its own work."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define

from .store import acting_as

__all__ = ["Pausing"]


def _nothing() -> None:
    """Do nothing."""


@define(eq=False)
class Pausing:
    """A writer that lets another one work once.

    Attributes:
        meanwhile: The other work; it does nothing once it was called.
        at_begin: Let it work before the lock is taken to begin an instant; else before it is taken to commit, when all
            files are written.
        has_begun: Whether an inflight instant was created.
    """

    meanwhile: Callable[[], object]
    at_begin: bool = False
    has_begun: bool = False

    def before(self, operation: str, path: str) -> None:
        if operation == "try_lock" and path.endswith(".hoodoo.lock") and self.has_begun != self.at_begin:
            meanwhile, self.meanwhile = self.meanwhile, _nothing
            with acting_as(None):
                meanwhile()

    def after(self, operation: str, path: str) -> None:
        self.has_begun = self.has_begun or (operation == "create" and path.endswith(".inflight"))
