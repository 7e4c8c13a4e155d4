"""Which files of a table nothing needs any more."""

from __future__ import annotations

from collections.abc import Sequence

from hoodoo.filegroup import FileGroup, FileSlice, all_groups
from hoodoo.options import CleanOptions
from hoodoo.service.retention import first_unseen, relied_on
from hoodoo.storage import Storage
from hoodoo.timeline import Instant, Timeline

__all__ = ["unneeded_files"]

_NEVER = "9"
"""Later than every instant."""


def unneeded_files(
    storage: Storage, timeline: Timeline, options: CleanOptions, earliest: Instant | None
) -> tuple[str, ...]:
    """The paths of the base files and logs that go, in order.

    Every group keeps its latest slice, with a pending compaction the two that are read together. By time it keeps the
    slices of the commits that are retained, and the one before them: what counted when the first of these began. The
    slices that the writers of pending writes see are kept by any policy. A slice of which a savepoint or a pending
    compaction names one file stays whole. A group that was replaced goes whole.

    Args:
        storage: The table's files; they are listed once.
        timeline: All instants.
        options: Say what is kept.
        earliest: See `earliest_to_retain`; None with `KEEP_LATEST_FILE_VERSIONS` only.

    Raises:
        CorruptTableError: A completed commit, a plan or a savepoint is damaged.
    """
    groups, replaced = all_groups(storage, timeline)
    kept = relied_on(timeline)
    clustered = timeline.pending_clustering()
    unseen = first_unseen(timeline)
    paths: list[str] = []
    for group in groups:
        if (group.partition, group.file_id) not in clustered:
            seen = () if unseen is None else _since(group, unseen)
            for file_slice in _old_slices(group, options, earliest):
                if file_slice not in seen and kept.isdisjoint(file_slice.paths):
                    paths += file_slice.paths
    for gone in replaced:
        limits = [limit for limit in (None if earliest is None else earliest.time, unseen) if limit is not None]
        if gone.replaced_at < min(limits, default=_NEVER) and kept.isdisjoint(gone.paths):
            paths += gone.paths
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
