"""Partitions of a table that commits have written or removed since the last sync with a catalog."""

from __future__ import annotations

from attrs import frozen

from hoodoo.filegroup import file_slices
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["TouchedPartitions", "touched_partitions"]


@frozen
class TouchedPartitions:
    """Partition paths to compare with a catalog.

    Attributes:
        present: Paths that the table has.
        absent: Paths that it no longer has; None if `present` are all partitions of the table.
    """

    present: frozenset[str]
    absent: frozenset[str] | None


def touched_partitions(
    storage: Storage, timeline: Timeline, last: str | None, last_completion: str | None
) -> TouchedPartitions:
    """Return the partitions to compare.

    Args:
        storage: The table's files.
        timeline: The timeline.
        last: The time of the last commit that a sync compared; None before the first sync. If the active timeline lacks
            it, because it was archived or rolled back, all partitions are compared.
        last_completion: The latest completion time at that sync; None if it is unknown. A commit that began before
            `last` and was completed after this time is compared too.

    Raises:
        CorruptTableError: A commit is damaged.
    """
    if last is None or not timeline.has_commit(last):
        return TouchedPartitions(_live(storage, timeline), None)
    written: set[str] = set()
    replaced: set[str] = set()
    for instant in timeline.commits:
        late = last_completion is not None and (instant.completed_at or instant.time) > last_completion
        if instant.time > last or late:
            metadata = timeline.commit_metadata(instant)
            written.update(metadata.write_stats)
            replaced.update(metadata.replaced or ())
    if not replaced:
        return TouchedPartitions(frozenset(written), frozenset())
    # a commit may have written into a partition that an earlier one removed
    live = _live(storage, timeline)
    touched = written | replaced
    return TouchedPartitions(frozenset(touched & live), frozenset(touched - live))


def _live(storage: Storage, timeline: Timeline) -> frozenset[str]:
    return frozenset(slice_.partition for slice_ in file_slices(storage, timeline))
