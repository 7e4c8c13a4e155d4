"""Commits of a table that its metadata table lacks."""

from __future__ import annotations

from hoodoo.metadata_table.instants import FIRST_BUILD
from hoodoo.timeline import Instant, Timeline

__all__ = ["missing_commits"]


def missing_commits(timeline: Timeline, metadata: Timeline) -> list[Instant]:
    """Return the commits that the metadata table should have and lacks, in order.

    It should have a delta commit with the time of each commit since it was built. Earlier instants may be archived, or
    are contained in the files from which it was built. In layout 2, the instants that build it have times of their own:
    if no commit of the table is in it yet, their earliest completion time is the time at which it was built.

    Args:
        timeline: The timeline of the table.
        metadata: The timeline of the metadata table.
    """
    done = {instant.time[:17] for instant in metadata.completed}
    shared = [instant.time for instant in timeline.commits if instant.time[:17] in done]
    built = min((i.completion_time or "" for i in metadata.completed if i.time.startswith(FIRST_BUILD)), default="")
    if built and not shared:
        return [i for i in timeline.commits if (i.completed_at or "") > built]
    since = min(shared) if shared else max(done, default="")
    return [i for i in timeline.commits if i.time > since and i.time[:17] not in done]
