"""Options of table services: compaction, cleaning, archiving."""

from __future__ import annotations

from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.options.parsing.declare import option

__all__ = ["ArchiveOptions", "CleanOptions", "CompactionOptions", "ServiceOptions"]


@frozen
class ServiceOptions:
    """Switch for all table services of a write."""

    table_services: bool = option(
        "hoodie.table.services.enabled",
        kind="flag",
        default=True,
        help="Run the table services that are due after a commit; `false` leaves all of them to other processes.",
    )


@frozen
class CompactionOptions:
    """Compaction: merging log files into base files."""

    compact_inline: bool = option(
        "hoodie.compact.inline",
        kind="flag",
        default=False,
        help="Compact the table after a commit if compaction is due.",
    )
    compact_trigger: str = option(
        "hoodie.compact.inline.trigger.strategy",
        default="NUM_COMMITS",
        choices=("NUM_COMMITS", "NUM_COMMITS_AFTER_LAST_REQUEST", "TIME_ELAPSED", "NUM_AND_TIME", "NUM_OR_TIME"),
        help="Condition under which a compaction is due: the number of delta commits (`NUM_COMMITS`, "
        "`NUM_COMMITS_AFTER_LAST_REQUEST`), the time since the last compaction (`TIME_ELAPSED`), both, or either.",
    )
    compact_after_commits: int = option(
        "hoodie.compact.inline.max.delta.commits",
        kind="integer",
        minimum=0,
        default=5,
        help="Number of delta commits since the last compaction after which a compaction is due; with 0 or 1, one is "
        "due after every delta commit.",
    )
    compact_after_seconds: int = option(
        "hoodie.compact.inline.max.delta.seconds",
        kind="integer",
        minimum=0,
        default=3600,
        help="Seconds since the last compaction after which a compaction is due.",
    )


@frozen
class CleanOptions:
    """Cleaning: deleting files that no retained commit needs."""

    clean_automatic: bool = option(
        "hoodie.clean.automatic",
        kind="flag",
        default=True,
        help="Clean the table after a commit.",
    )
    clean_policy: str = option(
        "hoodie.clean.policy",
        "hoodie.cleaner.policy",
        default="KEEP_LATEST_COMMITS",
        choices=("KEEP_LATEST_COMMITS", "KEEP_LATEST_BY_HOURS", "KEEP_LATEST_FILE_VERSIONS"),
        help="Files to keep: those that the last commits need, those that the commits of the last hours need, or the "
        "last versions of each file group.",
    )
    commits_retained: int = option(
        "hoodie.clean.commits.retained",
        "hoodie.cleaner.commits.retained",
        kind="integer",
        minimum=1,
        default=10,
        help="With KEEP_LATEST_COMMITS: number of commits whose snapshots stay readable.",
    )
    hours_retained: int = option(
        "hoodie.clean.hours.retained",
        "hoodie.cleaner.hours.retained",
        kind="integer",
        minimum=1,
        default=24,
        help="With KEEP_LATEST_BY_HOURS: hours for which past snapshots stay readable.",
    )
    file_versions_retained: int = option(
        "hoodie.clean.fileversions.retained",
        "hoodie.cleaner.fileversions.retained",
        kind="integer",
        minimum=1,
        default=3,
        help="With KEEP_LATEST_FILE_VERSIONS: number of file slices to keep in each file group.",
    )
    clean_after_commits: int = option(
        "hoodie.clean.trigger.max.commits",
        "hoodie.clean.max.commits",
        kind="integer",
        minimum=1,
        default=1,
        help="Number of commits since the last clean after which the next clean is due.",
    )


@frozen
class ArchiveOptions:
    """Archiving: moving old instants out of the timeline."""

    archive_automatic: bool = option(
        "hoodie.archive.automatic",
        kind="flag",
        default=True,
        help="Archive old instants after a commit.",
    )
    keep_min_commits: int = option(
        "hoodie.keep.min.commits",
        kind="integer",
        minimum=1,
        default=20,
        help="Minimum number of commits on the timeline; more stay if the cleaner or a savepoint still needs them.",
    )
    keep_max_commits: int = option(
        "hoodie.keep.max.commits",
        kind="integer",
        minimum=2,
        default=30,
        help="Number of commits on the timeline above which old ones are archived; greater than `keep_min_commits`.",
    )

    def __attrs_post_init__(self) -> None:
        if self.keep_max_commits <= self.keep_min_commits:
            raise OptionError(
                f"keep_max_commits (hoodie.keep.max.commits) is {self.keep_max_commits}; it must be greater than "
                f"keep_min_commits (hoodie.keep.min.commits), which is {self.keep_min_commits}"
            )
