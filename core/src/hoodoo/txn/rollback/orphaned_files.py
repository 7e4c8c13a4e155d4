"""Data files of a failed write.

A file belongs to a failed instant if its name contains the instant. Logs of timeline layout 1 are named by their file
slice. Such a log belongs to the instant if a marker of the instant names the log or a block of the log names the
instant, and no marker or commit of another instant names the log.
"""

from __future__ import annotations

from collections.abc import Collection

from attrs import frozen

from hoodoo.format.file_names import BaseFileName, LogFileName, hfile_name
from hoodoo.format.log import CorruptBlock, LogBlock, read_blocks, torn_block_instant
from hoodoo.storage import Storage, name_of, parent_of
from hoodoo.timeline import Instant, Timeline
from hoodoo.txn.markers import are_markers_open, close_markers, list_markers

__all__ = ["OrphanedFiles", "claimed_by_others", "find_orphaned_files", "has_only_blocks_of", "is_own_file"]


@frozen
class OrphanedFiles:
    """Existing and missing files of a failed instant. Paths are relative to the table.

    Attributes:
        files: The files to delete.
        logs: The log files whose blocks must be rolled back, with their size in bytes, 0 for a missing file. In
            timeline layout 1 a log file is named by its slice, and readers may have it open.
    """

    files: tuple[str, ...]
    logs: dict[str, int]


def find_orphaned_files(timeline: Timeline, failed: Instant, announced: Collection[str] | None = None) -> OrphanedFiles:
    """Find the files of a failed instant by its markers, or by a listing if the markers are incomplete.

    Unless `announced` is given, the markers are closed first, so that no task begins another file.

    Args:
        timeline: The complete timeline; the caller holds the table lock.
        failed: The failed instant.
        announced: The paths of all files that the tasks of the instant announced; None to find them by the markers.

    Raises:
        UnsupportedTable: A log file that must be read has a block of an unsupported version or type.
        CorruptTableError: A completed commit is damaged.
    """
    storage = timeline.storage
    complete = announced is not None
    if announced is None:
        complete = are_markers_open(storage, failed.time)
        if complete:
            # after this line no running task gets a new marker
            close_markers(storage, failed.time)
        announced = {path for path, _ in list_markers(storage, failed.time)}
    if complete:
        sizes = _sizes(storage, {parent_of(path) for path in announced})
        candidates = {path: sizes.get(path, 0) for path in announced}
    else:
        candidates = {info.path: info.size for info in storage.walk()}
    files = {path for path in candidates if is_own_file(path, failed)}
    logs: dict[str, int] = {}
    if timeline.layout == 1 and failed.action == "deltacommit":
        shared = {path for path in candidates.keys() - files if LogFileName.parse(name_of(path)) is not None}
        for path in shared - claimed_by_others(timeline, failed.time) if shared else ():
            instants, damage = _instants_and_damage(storage, path) if candidates[path] else (set(), [])
            named = failed.time in instants or _begins_block_of(storage, path, damage, failed.time)
            is_ours = named or path in announced
            if is_ours and damage and instants <= {failed.time}:
                # the writer died within a block; if the file remained, readers would report its damage
                files.add(path)
            elif is_ours:
                logs[path] = candidates[path]
    return OrphanedFiles(tuple(sorted(files)), dict(sorted(logs.items())))


def claimed_by_others(timeline: Timeline, time: str) -> frozenset[str]:
    """Return the paths of files that a completed commit names, or that the markers of another pending instant announce.

    Args:
        timeline: The complete timeline.
        time: The instant whose own markers are ignored.

    Raises:
        CorruptTableError: A completed commit is damaged.
    """
    pending = {instant.time for instant in timeline.pending} - {time}
    announced = {path for other in pending for path, _ in list_markers(timeline.storage, other)}
    written = {file.path for instant in timeline.commits for file in timeline.commit_outline(instant).written()}
    return frozenset(announced | {path for path in written if path})


def is_own_file(path: str, instant: Instant) -> bool:
    """Return whether the name of a data file shows that it belongs to an instant and to no other."""
    name = name_of(path)
    base = BaseFileName.parse(name) or hfile_name(name)
    if base is not None:
        return base.instant == instant.time
    log = LogFileName.parse(name)
    # the logs of a slice that a compaction begins are those of delta commits
    return log is not None and log.instant == instant.time and instant.action != "compaction"


def has_only_blocks_of(storage: Storage, path: str, time: str) -> bool:
    """Return whether all complete blocks of a log file belong to one instant."""
    return _instants_and_damage(storage, path)[0] <= {time}


def _instants_and_damage(storage: Storage, path: str) -> tuple[set[str], list[CorruptBlock]]:
    """Return the instants of a log's complete blocks, and its corrupt blocks."""
    blocks = list(read_blocks(storage, path))
    whole = {block.instant for block in blocks if isinstance(block, LogBlock)}
    return whole, [block for block in blocks if isinstance(block, CorruptBlock)]


def _begins_block_of(storage: Storage, path: str, damage: list[CorruptBlock], time: str) -> bool:
    """Return whether corrupt bytes begin with the block header of an instant, whose writer died within the block."""
    return any(torn_block_instant(storage, path, part) == time for part in damage)


def _sizes(storage: Storage, folders: set[str]) -> dict[str, int]:
    return {info.path: info.size for folder in folders for info in storage.list(folder)}
