"""Optimistic concurrency: did another writer complete a change to the same file groups?"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from hoodoo.timeline import Instant, Timeline

__all__ = ["Conflict", "find_conflict"]

_BUCKET_DIGITS = 8


class Conflict(NamedTuple):
    """The instant that was first, and a file group that both changed."""

    instant: Instant
    partition: str
    file_id: str


def find_conflict(
    timeline: Timeline, seen: Set[Instant], touched: Set[tuple[str, str]], *, bucketed: bool = False
) -> Conflict | None:
    """The first commit completed since the write was planned that changed one of its file groups.

    Args:
        timeline: As it is now.
        seen: The commits that the plan knew.
        touched: (partition, file id) of the groups that the write changed.
        bucketed: Compare by bucket. Two writers that both create a bucket's file group choose different file ids, and
            must not both win.

    Raises:
        CorruptTableError: A commit that must be read is damaged.
    """
    mine = {_key(partition, file_id, bucketed) for partition, file_id in touched}
    for instant in timeline.commits:
        if instant in seen:
            continue
        for partition, file_id in sorted(timeline.commit_metadata(instant).touched()):
            if _key(partition, file_id, bucketed) in mine:
                return Conflict(instant, partition, file_id)
    return None


def _key(partition: str, file_id: str, bucketed: bool) -> tuple[str, str]:
    return (partition, file_id[:_BUCKET_DIGITS] if bucketed else file_id)
