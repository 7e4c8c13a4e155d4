"""Options of compaction, of merge-on-read tables."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options.declare import option

__all__ = ["CompactionOptions"]


@frozen
class CompactionOptions:
    """When logs are merged into base files."""

    compact_inline: bool = option(
        "hoodie.compact.inline",
        kind="flag",
        default=False,
        help="Whether a write that has committed compacts the table where that is due.",
    )
    compact_trigger: str = option(
        "hoodie.compact.inline.trigger.strategy",
        default="NUM_COMMITS",
        choices=("NUM_COMMITS", "NUM_COMMITS_AFTER_LAST_REQUEST", "TIME_ELAPSED", "NUM_AND_TIME", "NUM_OR_TIME"),
        help="When compaction is due: by delta commits, by the time since the last compaction, by both or by either.",
    )
    compact_after_commits: int = option(
        "hoodie.compact.inline.max.delta.commits",
        kind="integer",
        minimum=1,
        default=5,
        help="Delta commits since the last compaction that make one due.",
    )
    compact_after_seconds: int = option(
        "hoodie.compact.inline.max.delta.seconds",
        kind="integer",
        minimum=1,
        default=3600,
        help="Seconds since the last compaction that make one due.",
    )
