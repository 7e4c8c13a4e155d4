"""Errors of a job before anything is written: the first one is raised, or all are collected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define, field

from hoodoo.errors import HoodooError

__all__ = ["Problems"]


@define
class Problems:
    """Errors that were found.

    Attributes:
        collects: Whether errors are kept, so that independent checks continue; otherwise an error is raised.
        found: The errors that were kept, in order.
    """

    collects: bool = False
    found: list[HoodooError] = field(factory=list)

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Keep a `HoodooError` of the block if `collects` is true; otherwise, and for other errors, raise the error."""
        try:
            yield
        except HoodooError as error:
            if not self.collects:
                raise
            self.found.append(error)
