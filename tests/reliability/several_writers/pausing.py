"""An actor that runs another one at a given step of its own work."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define

from tests.reliability.actors import acting_as

__all__ = ["Pausing"]


def _nothing() -> None:
    """Do nothing."""


@define(eq=False)
class Pausing:
    """A writer that runs other work once.

    Attributes:
        other: The other work, which does nothing on later calls.
        at_begin: Whether the work runs before the writer takes the lock to begin an instant; otherwise it runs before
            the writer takes the lock to commit, after all files are written.
        has_begun: Whether an inflight instant was created.
    """

    other: Callable[[], object]
    at_begin: bool = False
    has_begun: bool = False

    def before(self, operation: str, path: str) -> None:
        if operation == "try_lock" and path.endswith(".hoodoo.lock") and self.has_begun != self.at_begin:
            other, self.other = self.other, _nothing
            with acting_as(None):
                other()

    def after(self, operation: str, path: str) -> None:
        self.has_begun = self.has_begun or (operation == "create" and path.endswith(".inflight"))
