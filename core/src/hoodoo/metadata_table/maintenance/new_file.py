"""File that a commit of the metadata table writes."""

from __future__ import annotations

from attrs import frozen

from hoodoo.timeline import WriteStat

__all__ = ["NewFile"]


@frozen
class NewFile:
    """File to write.

    Attributes:
        path: Its path, relative to the metadata table.
        body: Its content.
        stat: Its entry in the metadata of the commit.
    """

    path: str
    body: bytes
    stat: WriteStat
