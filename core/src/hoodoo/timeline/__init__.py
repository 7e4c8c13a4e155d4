"""Timeline of a table: its instants, their metadata, and the visibility of files."""

from hoodoo.timeline.commit_metadata import CommitMetadata
from hoodoo.timeline.commit_outline import CommitOutline, WrittenFile
from hoodoo.timeline.instant import COMMIT_ACTIONS, Instant, State
from hoodoo.timeline.instant_time import (
    following_instant,
    format_instant,
    instant_datetime,
    next_instant_time,
    parse_instant,
    utc_now,
)
from hoodoo.timeline.reload import run_with_reloads
from hoodoo.timeline.service_plans import CompactionOperation, CompactionPlan, clustering_groups, compaction_plan
from hoodoo.timeline.timeline import Timeline, completed_between
from hoodoo.timeline.write_stat import WriteStat

__all__ = [
    "COMMIT_ACTIONS",
    "CommitMetadata",
    "CommitOutline",
    "CompactionOperation",
    "CompactionPlan",
    "Instant",
    "State",
    "Timeline",
    "WriteStat",
    "WrittenFile",
    "clustering_groups",
    "compaction_plan",
    "completed_between",
    "following_instant",
    "format_instant",
    "instant_datetime",
    "next_instant_time",
    "parse_instant",
    "run_with_reloads",
    "utc_now",
]
