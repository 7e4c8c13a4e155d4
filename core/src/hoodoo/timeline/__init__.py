"""The timeline: a table's instants, what they wrote, and what a reader may therefore see."""

from hoodoo.timeline.commit_metadata import CommitMetadata, WriteStat
from hoodoo.timeline.instant import COMMIT_ACTIONS, Instant, State
from hoodoo.timeline.instant_time import following_instant, format_instant, next_instant_time, parse_instant, utc_now
from hoodoo.timeline.timeline import Timeline

__all__ = [
    "COMMIT_ACTIONS",
    "CommitMetadata",
    "Instant",
    "State",
    "Timeline",
    "WriteStat",
    "following_instant",
    "format_instant",
    "next_instant_time",
    "parse_instant",
    "utc_now",
]
