"""Selection of the files that a clean deletes."""

from __future__ import annotations

from collections.abc import Sequence

from hoodoo.filegroup import FileGroup, FileSlice, all_groups
from hoodoo.options import CleanOptions
from hoodoo.service.retention import first_unseen, protected_files
from hoodoo.storage import Storage
from hoodoo.timeline import Instant, Timeline

__all__ = ["unneeded_files"]

_NEVER = "9"
"""Time later than that of every instant."""


def unneeded_files(
    storage: Storage, timeline: Timeline, options: CleanOptions, earliest: Instant | None
) -> tuple[str, ...]:
    """Return the paths of the base files and logs to delete, sorted.

    Each file group keeps its latest slice; with a pending compaction, the two slices that are read together. Policies
    by commits or hours also keep the slices of the retained commits and the slice before them, which was current when
    the first of these commits began; the policy by versions keeps the given number of latest slices. Each policy keeps
    the slices that pending writes were planned with, and the groups of a pending clustering. If a savepoint or a
    pending compaction names one file of a slice, all files of the slice stay. A replaced group is deleted completely,
    unless a retained commit, a pending write, a savepoint or a pending compaction needs it.

    Args:
        storage: The table's files, which are listed once.
        timeline: The complete timeline.
        options: The policy.
        earliest: The result of `earliest_to_retain`; None with `KEEP_LATEST_FILE_VERSIONS` only.

    Raises:
        CorruptTableError: A completed commit, a plan or a savepoint is damaged.
        UnsupportedTable: The codec of a plan or a savepoint is not supported.
        TableChanged: A plan or a savepoint was removed since the timeline was listed.
    """
    groups, replaced = all_groups(storage, timeline)
    kept = protected_files(timeline)
    clustered = timeline.pending_clustering()
    unseen = first_unseen(timeline)
    paths: list[str] = []
    for group in groups:
        if (group.partition, group.file_id) not in clustered:
            seen = () if unseen is None else _since(group, unseen)
            for file_slice in _old_slices(group, options, earliest):
                if file_slice not in seen and kept.isdisjoint(file_slice.paths):
                    paths += file_slice.paths
    for old in replaced:
        limits = [limit for limit in (None if earliest is None else earliest.time, unseen) if limit is not None]
        if old.replaced_at < min(limits, default=_NEVER) and kept.isdisjoint(old.paths):
            paths += old.paths
    return tuple(sorted(paths))


def _old_slices(group: FileGroup, options: CleanOptions, earliest: Instant | None) -> Sequence[FileSlice]:
    newest = group.slices[0]
    # a slice that a pending compaction begins is read with the one before it
    latest = 2 if newest.path is None and newest.base_instant == group.compaction else 1
    if earliest is None:
        return group.slices[latest - 1 + options.file_versions_retained :]
    return group.slices[max(latest, len(_since(group, earliest.time))) :]


def _since(group: FileGroup, time: str) -> Sequence[FileSlice]:
    """Return the slices from an instant on, and the one before them, latest first."""
    before = [n for n, file_slice in enumerate(group.slices) if file_slice.base_instant < time]
    return group.slices[: before[0] + 1] if before else group.slices
