"""Retention of a cleaner: the commits as of which the table stays readable, and files that other instants need."""

from __future__ import annotations

from datetime import datetime, timedelta

from hoodoo.options import CleanOptions
from hoodoo.storage import check_relative, join
from hoodoo.timeline import COMMIT_ACTIONS, Instant, Timeline, compaction_plan, format_instant
from hoodoo.timeline.codec.avro_file import read_record
from hoodoo.timeline.codec.json_document import JsonObject
from hoodoo.timeline.commit_paths import path_errors_as_corruption

__all__ = ["earliest_to_retain", "first_unseen", "protected_files", "savepoint_files"]

_COMPACTIONS = frozenset({"compaction", "logcompaction"})


def earliest_to_retain(timeline: Timeline, options: CleanOptions, now: datetime) -> Instant | None:
    """Return the first commit as of which the table stays readable.

    This commit is earlier than each pending write, and than each commit that was completed after such a write began,
    since the writer reads the file slices of that moment.

    Args:
        timeline: The complete timeline.
        options: The policy.
        now: The current time, with a zone.

    Returns:
        A completed commit. None if all commits are retained, and with `KEEP_LATEST_FILE_VERSIONS`, which has no time.
    """
    commits = timeline.commits
    if options.clean_policy == "KEEP_LATEST_FILE_VERSIONS" or not commits:
        return None
    bound = first_unseen(timeline)
    if options.clean_policy == "KEEP_LATEST_COMMITS":
        if len(commits) <= options.commits_retained:
            return None
        chosen = commits[-options.commits_retained]
    else:
        begin = format_instant(now - timedelta(hours=options.hours_retained), timeline.zone)
        # the cleaner also retains the slices that were current before this commit
        chosen = next((commit for commit in commits if commit.time >= begin), commits[-1])
    if bound is None or chosen.time < bound:
        return chosen
    return max((commit for commit in commits if commit.time < bound), key=lambda i: i.time, default=None)


def first_unseen(timeline: Timeline) -> str | None:
    """Return the earliest time of the pending writes and of the commits that were completed after one of them began.

    A pending write was planned without these instants. Pending compactions do not count as writes. The result is None
    if no write is pending.
    """
    writes = [i for i in timeline.pending if i.completed_action in COMMIT_ACTIONS and i.action not in _COMPACTIONS]
    unseen = {
        commit.time for commit in timeline.commits for write in writes if timeline.is_completed_after(commit, write)
    }
    return min({write.time for write in writes} | unseen, default=None)


def protected_files(timeline: Timeline) -> frozenset[str]:
    """Return the paths of files that each policy retains: those of savepoints and of pending compactions.

    Raises:
        CorruptTableError: A savepoint or a plan is damaged.
        UnsupportedTable: The codec of a savepoint or a plan is not supported.
        TableChanged: A savepoint or a plan was removed since the timeline was listed.
    """
    planned = {
        join(operation.partition, name)
        for instant in timeline.pending
        if instant.action in _COMPACTIONS
        for operation in compaction_plan(timeline, instant).operations
        for name in (operation.data_file, *operation.log_files)
        if name is not None
    }
    return frozenset(planned) | savepoint_files(timeline)


def savepoint_files(timeline: Timeline) -> frozenset[str]:
    """Return the paths of the files in completed savepoints.

    Raises:
        CorruptTableError: A savepoint is damaged, or names a file outside the table.
        UnsupportedTable: The codec of a savepoint is not supported.
        TableChanged: A savepoint was removed since the timeline was listed.
    """
    paths: set[str] = set()
    for instant in timeline.completed:
        if instant.action == "savepoint":
            file = timeline.path_of(instant)
            partitions = JsonObject(read_record(timeline.read(instant), file), file).object("partitionMetadata")
            with path_errors_as_corruption(file):
                for partition in partitions.names():
                    names = partitions.object(partition).texts("savepointDataFile")
                    paths.update(check_relative(join(partition, name)) for name in names)
    return frozenset(paths)
