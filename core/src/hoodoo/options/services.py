"""Options of table services: compaction, cleaning, archiving."""

from __future__ import annotations

from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.options.declare import option

__all__ = ["ArchiveOptions", "CleanOptions", "CompactionOptions"]


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


@frozen
class CleanOptions:
    """Which old files are deleted."""

    clean_automatic: bool = option(
        "hoodie.clean.automatic",
        kind="flag",
        default=True,
        help="Whether a write that has committed deletes the files that nothing needs any more.",
    )
    clean_policy: str = option(
        "hoodie.clean.policy",
        "hoodie.cleaner.policy",
        default="KEEP_LATEST_COMMITS",
        choices=("KEEP_LATEST_COMMITS", "KEEP_LATEST_BY_HOURS", "KEEP_LATEST_FILE_VERSIONS"),
        help="What is kept: all that the last commits need, all that the commits of the last hours need, or the last "
        "versions of every file.",
    )
    commits_retained: int = option(
        "hoodie.clean.commits.retained",
        "hoodie.cleaner.commits.retained",
        kind="integer",
        minimum=1,
        default=10,
        help="Commits as of which the table can still be read, with KEEP_LATEST_COMMITS.",
    )
    hours_retained: int = option(
        "hoodie.clean.hours.retained",
        "hoodie.cleaner.hours.retained",
        kind="integer",
        minimum=1,
        default=24,
        help="Hours for which the table can still be read as it was, with KEEP_LATEST_BY_HOURS.",
    )
    file_versions_retained: int = option(
        "hoodie.clean.fileversions.retained",
        "hoodie.cleaner.fileversions.retained",
        kind="integer",
        minimum=1,
        default=3,
        help="Versions of each file that are kept, with KEEP_LATEST_FILE_VERSIONS.",
    )
    clean_after_commits: int = option(
        "hoodie.clean.trigger.max.commits",
        "hoodie.clean.max.commits",
        kind="integer",
        minimum=1,
        default=1,
        help="Commits since the last clean that make the next one due.",
    )


@frozen
class ArchiveOptions:
    """Which old commits leave the timeline."""

    archive_automatic: bool = option(
        "hoodie.archive.automatic",
        kind="flag",
        default=True,
        help="Whether a write that has committed moves old commits from the timeline to its archive.",
    )
    keep_min_commits: int = option(
        "hoodie.keep.min.commits",
        kind="integer",
        minimum=1,
        default=20,
        help="Commits that stay on the timeline; more where the cleaner keeps what they need, or a savepoint does.",
    )
    keep_max_commits: int = option(
        "hoodie.keep.max.commits",
        kind="integer",
        minimum=2,
        default=30,
        help="Commits on the timeline up to which nothing is archived; more than `keep_min_commits`.",
    )

    def __attrs_post_init__(self) -> None:
        if self.keep_max_commits <= self.keep_min_commits:
            raise OptionError(
                f"keep_max_commits (hoodie.keep.max.commits) is {self.keep_max_commits}, and keep_min_commits "
                f"(hoodie.keep.min.commits) is {self.keep_min_commits}; the first must be the greater one"
            )
