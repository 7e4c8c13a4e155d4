"""Valid blocks of a slice's logs, in the order in which they are merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hoodoo.errors import CorruptTableError
from hoodoo.filegroup import LogFile
from hoodoo.format.corruption import GONE
from hoodoo.format.log import BlockType, CorruptBlock, LogBlock, is_intact, read_blocks
from hoodoo.reading.removed_files import is_uncommitted
from hoodoo.reading.slice.log_corruption import Committed, SkippedCorruption, check_damage
from hoodoo.storage import Storage

__all__ = ["Committed", "SkippedCorruption", "valid_blocks"]

_DATA = frozenset({BlockType.AVRO_DATA, BlockType.PARQUET_DATA, BlockType.HFILE_DATA})


def valid_blocks(
    storage: Storage, logs: Sequence[LogFile], committed: Committed, *, skip_corrupt: bool = False
) -> list[LogBlock]:
    """Return the data and delete blocks to merge, oldest first.

    The result does not contain:

    - blocks that a rollback command at any position revokes
    - blocks of instants that are not visible
    - blocks of a task attempt whose file the commit does not name
    - change-data blocks
    - blocks that a log compaction replaced; the block of the log compaction takes the position of the newest of them

    Args:
        storage: The table's files.
        logs: The logs, in the order in which they are read.
        committed: The commits of the timeline.
        skip_corrupt: Whether damaged bytes of completed commits are also left out, with a warning.

    Raises:
        CorruptTableError: A committed log is missing; or `skip_corrupt` is False, and a log lacks a block of a
            completed commit, or has damaged bytes that a completed commit wrote or may have written.
        UnsupportedTable: A block has a type or a format that hoodoo does not support.
    """
    blocks: list[tuple[LogFile, LogBlock]] = []
    for log in logs:
        found = _blocks_of(storage, log, committed)
        if found is None:
            continue
        found = [_checked(storage, block, committed) for block in found]
        whole = [block for block in found if isinstance(block, LogBlock)]
        check_damage(storage, log, whole, [b for b in found if isinstance(b, CorruptBlock)], committed, skip_corrupt)
        blocks += ((log, block) for block in whole)
    rolled_back = {block.target_instant for _, block in blocks if block.type is BlockType.COMMAND}
    named = {instant for log in logs for instant in log.commits}
    valid = [
        block
        for log, block in blocks
        if (block.type in _DATA or block.type is BlockType.DELETE)
        and committed.has(block)
        and block.instant not in rolled_back
        # if the commit names another file of the slice, the block is from an attempt of a task that ran twice
        and (block.instant not in named or block.instant in log.commits)
    ]
    return list(_compacted(valid))


def _blocks_of(storage: Storage, log: LogFile, committed: Committed) -> list[LogBlock | CorruptBlock] | None:
    """Return the blocks of a log; None for a missing log that was never committed."""
    try:
        return list(read_blocks(storage, log.path))
    except CorruptTableError as error:
        # only in layout 1 may a listed log be uncommitted
        if error.code == GONE and not log.commits and committed.times is not None and is_uncommitted(storage, log.path):
            return None
        raise


def _checked(storage: Storage, block: LogBlock | CorruptBlock, committed: Committed) -> LogBlock | CorruptBlock:
    """Return the block; a corrupt block in its place if it is not to be merged and its checksum does not match.

    Blocks to merge are checked when they are decoded. The header of any other block is the reason why it is not merged,
    and must therefore be undamaged.
    """
    if isinstance(block, CorruptBlock) or block.checksum is None:
        return block
    if block.type is not BlockType.COMMAND and committed.has(block):
        return block
    if is_intact(storage, block):
        return block
    return CorruptBlock(block.file, block.offset, block.length, "its checksum does not match")


def _compacted(blocks: list[LogBlock]) -> Iterator[LogBlock]:
    """Yield the blocks that no log compaction replaced; a log compaction is where the newest replaced block was."""
    if not any(block.compacted_times for block in blocks):
        yield from blocks
        return
    by_instant: dict[str, list[LogBlock]] = {}
    for block in blocks:
        by_instant.setdefault(block.instant, []).append(block)
    successor: dict[str, str] = {}
    newest_first: list[str] = []
    for instant in reversed(by_instant):
        times = by_instant[instant][0].compacted_times
        for time in times:
            successor[time] = successor.get(instant, instant)
        if times:
            # at its own position only if none of the blocks that it replaced still exists
            chosen = None if any(time in by_instant for time in times) or instant in successor else instant
        else:
            chosen = successor.get(instant, instant)
        if chosen is not None and chosen not in newest_first:
            newest_first.append(chosen)
    for instant in reversed(newest_first):
        yield from by_instant[instant]
