"""What a failed write may have left among the data files."""

from __future__ import annotations

from attrs import frozen

from hoodoo.format.log import CorruptBlock, LogBlock, read_blocks
from hoodoo.format.names import BaseFileName, LogFileName
from hoodoo.storage import Storage, name_of, parent_of
from hoodoo.timeline import Instant
from hoodoo.txn.markers import are_markers_open, close_markers, list_markers

__all__ = ["Leftovers", "find_leftovers", "holds_only", "is_own_file"]

_LOOKED_AT = 64 * 1024


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


def find_leftovers(storage: Storage, failed: Instant, layout: int) -> Leftovers:
    """Find them by the instant's markers, or by a listing where the markers are not whole.

    Raises:
        UnsupportedTable: A log file that must be looked into is of a kind that is not known.
    """
    announced = are_markers_open(storage, failed.time)
    if announced:
        # from here on no task that is still running gets a new marker
        close_markers(storage, failed.time)
        paths = {path for path, _ in list_markers(storage, failed.time)}
        sizes = _sizes(storage, {parent_of(path) for path in paths})
        candidates = {path: sizes.get(path, 0) for path in paths}
    else:
        candidates = {info.path: info.size for info in storage.walk()}
    files = {path for path in candidates if is_own_file(path, failed)}
    logs: dict[str, int] = {}
    if layout == 1 and failed.action == "deltacommit":
        for path in candidates.keys() - files:
            if LogFileName.parse(name_of(path)) is None:
                continue
            instants, damage = _look_into(storage, path) if candidates[path] else (set(), [])
            is_ours = announced or failed.time in instants or _name(storage, path, damage, failed.time)
            if is_ours and damage and instants <= {failed.time}:
                # its writer died within a block; damage that stays would one day look like damage to what is committed
                files.add(path)
            elif is_ours:
                logs[path] = candidates[path]
    return Leftovers(tuple(sorted(files)), dict(sorted(logs.items())))


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


def _name(storage: Storage, path: str, damage: list[CorruptBlock], time: str) -> bool:
    """Whether damaged bytes name an instant, as the header of a block does that was not written whole."""
    if not damage:
        return False
    with storage.open_input(path) as source:
        return any(time.encode() in source.read_at(min(part.length, _LOOKED_AT), part.offset) for part in damage)


def _sizes(storage: Storage, folders: set[str]) -> dict[str, int]:
    return {info.path: info.size for folder in folders for info in storage.list(folder)}
