"""Writes that are tried again as a whole: what has been committed once is not written twice."""

from __future__ import annotations

from collections.abc import Set

from hoodoo.timeline import Instant, Timeline

__all__ = ["WRITE_ID_KEY", "find_committed"]

WRITE_ID_KEY = "hoodoo.write_id"
"""The entry of a commit's extra metadata by which its writer knows it again."""


def find_committed(timeline: Timeline, write_id: str, seen: Set[Instant] = frozenset()) -> Instant | None:
    """The completed commit of the active timeline that a writer gave this id; None where there is none.

    Args:
        timeline: What was archived is not looked at.
        write_id: The id.
        seen: Commits that are known to be others.

    Raises:
        CorruptTableError: A commit is damaged.
    """
    for instant in reversed(timeline.commits):
        if instant not in seen and timeline.commit_outline(instant).extra_metadata.get(WRITE_ID_KEY) == write_id:
            return instant
    return None
