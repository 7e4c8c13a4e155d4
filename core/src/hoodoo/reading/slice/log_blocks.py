"""Which blocks of a slice's logs count, and in which order they are merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hoodoo.errors import CorruptTableError
from hoodoo.filegroup import LogFile
from hoodoo.format.corruption import GONE
from hoodoo.format.log import BlockType, CorruptBlock, LogBlock, is_intact, read_blocks
from hoodoo.reading.removed_files import is_uncommitted
from hoodoo.reading.slice.log_corruption import Committed, SkippedCorruption, check_damage
from hoodoo.storage import Storage

__all__ = ["Committed", "SkippedCorruption", "counted_blocks"]

_DATA = frozenset({BlockType.AVRO_DATA, BlockType.PARQUET_DATA, BlockType.HFILE_DATA})


def counted_blocks(
    storage: Storage, logs: Sequence[LogFile], committed: Committed, *, skip_corrupt: bool = False
) -> list[LogBlock]:
    """The data and delete blocks to merge, oldest first.

    Left out are blocks that a rollback command takes back, wherever it stands; blocks of instants that are not visible;
    blocks of an attempt that its commit does not name; change-data blocks; and blocks that a log compaction replaced,
    whose successor stands in the place of the newest of them.

    Args:
        storage: The table's files.
        logs: In the order in which they are read.
        committed: What the timeline says.
        skip_corrupt: Leave out damaged bytes of completed commits too, with a warning.

    Raises:
        CorruptTableError: Damaged bytes that a completed commit wrote, or may have written.
        UnsupportedTable: A block that cannot be understood.
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
    counted = [
        block
        for log, block in blocks
        if (block.type in _DATA or block.type is BlockType.DELETE)
        and committed.has(block)
        and block.instant not in rolled_back
        # another file of the slice is named as this commit's: the task that wrote this one was run twice
        and (block.instant not in named or block.instant in log.commits)
    ]
    return list(_compacted(counted))


def _blocks_of(storage: Storage, log: LogFile, committed: Committed) -> list[LogBlock | CorruptBlock] | None:
    """Read the blocks of a log; None for a log that is gone and was never committed."""
    try:
        return list(read_blocks(storage, log.path))
    except CorruptTableError as error:
        # only layout 1 lists logs without knowing whether they are committed
        if error.code == GONE and not log.commits and committed.times is not None and is_uncommitted(storage, log.path):
            return None
        raise


def _checked(storage: Storage, block: LogBlock | CorruptBlock, committed: Committed) -> LogBlock | CorruptBlock:
    """Return damage in place of a block without rows to merge whose checksum does not match.

    Blocks with rows are checked when they are decoded. What a header says decides that a block has none.
    """
    if isinstance(block, CorruptBlock) or block.checksum is None:
        return block
    if block.type is not BlockType.COMMAND and committed.has(block):
        return block
    if is_intact(storage, block):
        return block
    return CorruptBlock(block.file, block.offset, block.length, "its checksum does not match")


def _compacted(blocks: list[LogBlock]) -> Iterator[LogBlock]:
    """The blocks with each log compaction in the place of the newest block that it replaced."""
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
            # in its own place only where none of what it replaced is there any more
            chosen = None if any(time in by_instant for time in times) or instant in successor else instant
        else:
            chosen = successor.get(instant, instant)
        if chosen is not None and chosen not in newest_first:
            newest_first.append(chosen)
    for instant in reversed(newest_first):
        yield from by_instant[instant]
