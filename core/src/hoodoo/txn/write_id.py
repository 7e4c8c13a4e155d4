"""Identity of a write across retries, so that a retry of a committed write is not applied twice."""

from __future__ import annotations

from collections.abc import Set

from hoodoo.timeline import Instant, Timeline

__all__ = ["WRITE_ID_KEY", "find_archived", "find_committed"]

WRITE_ID_KEY = "hoodoo.write_id"
"""The entry of a commit's extra metadata that identifies the write."""


def find_committed(timeline: Timeline, write_id: str, seen: Set[Instant] = frozenset()) -> Instant | None:
    """Return the newest completed commit of the active timeline that has a write id, or None.

    Args:
        timeline: The timeline; its archive is not searched.
        write_id: The id that the writer gave to the write.
        seen: Commits to skip.

    Raises:
        CorruptTableError: A commit is damaged.
    """
    for instant in reversed(timeline.commits):
        if instant not in seen and timeline.commit_outline(instant).extra_metadata.get(WRITE_ID_KEY) == write_id:
            return instant
    return None


def find_archived(timeline: Timeline, write_id: str) -> Instant | None:
    """Return the archived commit that has a write id, or None. Repeated searches read only new files of the archive.

    Raises:
        CorruptTableError: The archive is damaged.
    """
    return timeline.find_archived(WRITE_ID_KEY, write_id)
