"""Log whose keys its writer found in the file slice before it wrote the log."""

from __future__ import annotations

from attrs import frozen

__all__ = ["LocatedLog"]


@frozen
class LocatedLog:
    """Log of records whose keys the look-up of the write found in the file slice.

    Attributes:
        base: The name of the base file in which the keys were found; None if the record index located them in
            the file group.
        deletes: Whether readers may treat a record of the log as a delete.
    """

    base: str | None
    deletes: bool
