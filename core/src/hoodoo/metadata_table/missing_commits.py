"""Commits of a table that its metadata table lacks."""

from __future__ import annotations

from hoodoo.timeline import Instant, Timeline

__all__ = ["missing_commits"]


def missing_commits(timeline: Timeline, metadata: Timeline) -> list[Instant]:
    """Return the commits that the metadata table should have and lacks, in order.

    It has a delta commit of the same time for each commit since it was built. Earlier instants may be archived, or are
    contained in the files from which it was built.

    Args:
        timeline: The timeline of the table.
        metadata: The timeline of the metadata table.
    """
    done = {instant.time[:17] for instant in metadata.completed}
    shared = [instant.time for instant in timeline.commits if instant.time[:17] in done]
    since = min(shared) if shared else max(done, default="")
    return [i for i in timeline.commits if i.time > since and i.time[:17] not in done]
