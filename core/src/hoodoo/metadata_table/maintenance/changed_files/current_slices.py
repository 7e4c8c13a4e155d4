"""Current file slices of some partitions of a table, from the list of files in the metadata table."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from hoodoo.archived_timeline import Archive
from hoodoo.filegroup.committed_files import CommittedFiles
from hoodoo.format.file_names import BaseFileName, LogFileName
from hoodoo.metadata_table.maintenance.table_change import TableChange
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.storage import name_of
from hoodoo.timeline import Timeline

__all__ = ["CurrentSlice", "current_slices"]

Group = tuple[str, str]
"""Partition path and file id."""


class CurrentSlice(NamedTuple):
    """Current file slice of a file group.

    Attributes:
        base: Name of the base file; None for a slice of logs.
        logs: Names of the logs, in no particular order, including logs since a pending compaction, without change logs
            (CDC).
    """

    base: str | None
    logs: tuple[str, ...]


class _Files(Struct):
    bases: dict[str, str]
    logs: list[tuple[str, str]]


def current_slices(
    metadata_table: MetadataTable, timeline: Timeline, partitions: Collection[str], change: TableChange | None = None
) -> Mapping[Group, CurrentSlice]:
    """Return the current slice of each file group that is not replaced.

    Args:
        metadata_table: The metadata table, which has the files of completed commits.
        timeline: The timeline of the table.
        partitions: The partition paths whose slices are returned.
        change: A change that the metadata table does not have yet; None for the slices without it.

    Raises:
        CorruptTableError: A file of the metadata table or of the timeline is damaged.
    """
    found: dict[Group, _Files] = {}
    for partition, name in _names(metadata_table, partitions, change or TableChange("")):
        base, log = BaseFileName.parse(name), LogFileName.parse(name)
        if base is not None:
            found.setdefault((partition, base.file_id), _Files({}, [])).bases[base.instant] = name
        elif log is not None and not log.is_cdc:
            found.setdefault((partition, log.file_id), _Files({}, [])).logs.append((log.instant, name))
    replaced = set(CommittedFiles(timeline).replaced)
    if change is not None:
        replaced.update((partition, file_id) for partition, ids in change.replaced.items() for file_id in ids)
    archive = Archive(timeline)
    return {group: _slice(files, timeline, archive) for group, files in found.items() if group not in replaced}


def _names(
    metadata_table: MetadataTable, partitions: Collection[str], change: TableChange
) -> Iterator[tuple[str, str]]:
    """Yield partition path and name of each file."""
    stored = metadata_table.files_of(sorted(set(partitions)))
    for partition in sorted(set(partitions)):
        written = (
            name_of(stat.path) for stat in change.stats if stat.path and (stat.partition_path or "") == partition
        )
        gone = set(change.removed.get(partition, ()))
        for name in dict.fromkeys((*stored.get(partition, ()), *written)):
            if name not in gone:
                yield partition, name


def _slice(files: _Files, timeline: Timeline, archive: Archive) -> CurrentSlice:
    if not files.bases:
        return CurrentSlice(None, tuple(name for _, name in files.logs))
    begins = sorted(files.bases)
    logs = []
    for instant, name in files.logs:
        since = instant
        if timeline.layout != 1:
            # a log belongs to the last base file that began before the log was complete
            known = timeline if timeline.has_commit(instant) else archive
            since = known.completion_time_of(instant) or instant
        if bisect_right(begins, since) == len(begins):
            logs.append(name)
    return CurrentSlice(files.bases[begins[-1]], tuple(logs))
