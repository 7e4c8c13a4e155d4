"""Data files that a failed write left.

A file belongs to a failed instant where its name has the instant. The logs of timeline layout 1 are named by their file
slice: such a log belongs to the instant where a marker of the instant names it, or where the file itself names the
instant, and no marker or commit of another instant names it.
"""

from __future__ import annotations

from attrs import frozen

from hoodoo.format.file_names import BaseFileName, LogFileName
from hoodoo.format.log import CorruptBlock, LogBlock, read_blocks, torn_block_instant
from hoodoo.storage import Storage, name_of, parent_of
from hoodoo.timeline import Instant, Timeline
from hoodoo.txn.markers import are_markers_open, close_markers, list_markers

__all__ = ["Leftovers", "claimed_by_others", "find_leftovers", "holds_only", "is_own_file"]


@frozen
class Leftovers:
    """The files that a failed instant may have left. Paths are relative to the table.

    Attributes:
        files: Those that go, whether they are there or not.
        logs: Log files whose blocks must be taken back, with their bytes, 0 where the file is not there. In timeline
            layout 1 a log file is named by its slice, and readers may have it open.
    """

    files: tuple[str, ...]
    logs: dict[str, int]


def find_leftovers(timeline: Timeline, failed: Instant) -> Leftovers:
    """Find the files of a failed instant by its markers, or by a listing where the markers are not complete.

    Args:
        timeline: All instants; under the table's lock.
        failed: The instant.

    Raises:
        UnsupportedTable: A log file that must be read is of an unknown kind.
        CorruptTableError: A completed commit is damaged.
    """
    storage = timeline.storage
    complete = are_markers_open(storage, failed.time)
    if complete:
        # from here on no task that is still running gets a new marker
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
            instants, damage = _look_into(storage, path) if candidates[path] else (set(), [])
            named = failed.time in instants or _begins_block_of(storage, path, damage, failed.time)
            is_ours = named or path in announced
            if is_ours and damage and instants <= {failed.time}:
                # its writer died within a block; damage that stays would one day look like damage to what is committed
                files.add(path)
            elif is_ours:
                logs[path] = candidates[path]
    return Leftovers(tuple(sorted(files)), dict(sorted(logs.items())))


def claimed_by_others(timeline: Timeline, time: str) -> frozenset[str]:
    """Return the files that a completed commit names, or that the markers of another pending instant announce.

    Args:
        timeline: All instants.
        time: The instant whose own markers do not count.

    Raises:
        CorruptTableError: A completed commit is damaged.
    """
    pending = {instant.time for instant in timeline.pending} - {time}
    announced = {path for other in pending for path, _ in list_markers(timeline.storage, other)}
    written = {file.path for instant in timeline.commits for file in timeline.commit_outline(instant).written()}
    return frozenset(announced | {path for path in written if path})


def is_own_file(path: str, instant: Instant) -> bool:
    """Whether a data file is by its name of an instant, and of nobody else."""
    name = name_of(path)
    base = BaseFileName.parse(name)
    if base is not None:
        return base.instant == instant.time
    log = LogFileName.parse(name)
    # the logs of a slice that a compaction begins are those of delta commits
    return log is not None and log.instant == instant.time and instant.action != "compaction"


def holds_only(storage: Storage, path: str, time: str) -> bool:
    """Whether a log file holds no whole block but those of one instant."""
    return _look_into(storage, path)[0] <= {time}


def _look_into(storage: Storage, path: str) -> tuple[set[str], list[CorruptBlock]]:
    """The instants of a log's whole blocks, and what else is in it."""
    blocks = list(read_blocks(storage, path))
    whole = {block.instant for block in blocks if isinstance(block, LogBlock)}
    return whole, [block for block in blocks if isinstance(block, CorruptBlock)]


def _begins_block_of(storage: Storage, path: str, damage: list[CorruptBlock], time: str) -> bool:
    """Return whether damaged bytes begin with the header of a block of an instant: its writer died within the block."""
    return any(torn_block_instant(storage, path, part) == time for part in damage)


def _sizes(storage: Storage, folders: set[str]) -> dict[str, int]:
    return {info.path: info.size for folder in folders for info in storage.list(folder)}
