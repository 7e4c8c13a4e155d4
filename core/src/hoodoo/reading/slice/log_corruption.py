"""Damaged log files: whether a completed commit wrote what is damaged, or nobody who counts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.filegroup import LogFile
from hoodoo.format.log import CorruptBlock, LogBlock
from hoodoo.reading.removed_files import is_uncommitted
from hoodoo.storage import Storage

__all__ = ["Committed", "SkippedCorruption", "check_damage"]

_LOOKED_AT = 1024 * 1024


class SkippedCorruption(UserWarning):
    """Damaged bytes of a log file were left out, because no completed commit wrote them or because it was asked for."""


@frozen
class Committed:
    """What a reader of logs has to know of the timeline.

    Attributes:
        first: The first commit of the active timeline; what is older was completed. None on an empty timeline.
        times: The completed commits that can have written to the slice, in timeline layout 1, where blocks of failed
            commits stay in the logs. None where the name of a log already says that it is committed.
        bound: Nothing later counts; None for no bound.
    """

    first: str | None
    times: frozenset[str] | None = None
    bound: str | None = None

    def has(self, block: LogBlock) -> bool:
        """Whether the instant of a block is committed."""
        if self.times is None:
            return True
        if self.bound is not None and block.instant > self.bound:
            return False
        return block.instant in self.times or self.is_archived(block.instant)

    def is_archived(self, time: str) -> bool:
        """Whether a time is older than the active timeline."""
        return self.first is not None and time < self.first


def check_damage(
    storage: Storage,
    log: LogFile,
    whole: Sequence[LogBlock],
    damaged: Sequence[CorruptBlock],
    committed: Committed,
    skip: bool,
) -> None:
    """Raise for damage to what was committed, warn of the rest.

    Args:
        storage: The table's files.
        log: A log file, with what commits say of it.
        whole: Its blocks.
        damaged: Its bytes that are no blocks.
        committed: What the timeline says.
        skip: Warn of damage to what was committed too.

    Raises:
        CorruptTableError: A completed commit wrote damaged bytes, or may have; or it names the file, and its blocks are
            not there.
    """
    for damage in damaged:
        text = f"is damaged at byte {damage.offset} ({damage.length} bytes): {damage.reason}"
        if _counts(storage, log, damage, committed):
            _report(log, text, damage.offset, skip)
        else:
            _warn(log, text, "no completed commit wrote them")
    if not whole and not damaged and _is_archived(storage, log, committed):
        _report(log, "is empty, and a commit that was archived wrote to it", 0, skip)
    for text in _missing(log, whole):
        _report(log, text, log.size, skip)


def _missing(log: LogFile, whole: Sequence[LogBlock]) -> Iterator[str]:
    end = max((end for _, end in log.written), default=0)
    if log.size < end:
        yield f"has {log.size} bytes, and commits wrote {end}"
    instants = {block.instant for block in whole}
    for commit in log.commits:
        if commit not in instants:
            yield f"has no whole block of commit {commit}, which names it"


def _is_archived(storage: Storage, log: LogFile, committed: Committed) -> bool:
    """Return whether an archived commit wrote to a log that no commit of the active timeline names."""
    if log.commits or not committed.is_archived(log.instant):
        return False
    # in layout 1 the instant in the name is that of the file slice, and the log may be one that is being written
    return committed.times is None or not is_uncommitted(storage, log.path)


def _counts(storage: Storage, log: LogFile, damage: CorruptBlock, committed: Committed) -> bool:
    """Return whether a completed commit wrote any of the damaged bytes."""
    if not log.commits:
        return _is_archived(storage, log, committed)
    if len(log.written) == len(log.commits):
        return any(start < damage.offset + damage.length and damage.offset < end for start, end in log.written)
    if committed.times is None:
        # from layout 2 on one commit writes a log file
        return True
    # the header of a block and every record in it name the commit
    with storage.open_input(log.path) as source:
        found = source.read_at(min(damage.length, _LOOKED_AT), damage.offset)
    return any(commit.encode() in found for commit in log.commits)


def _report(log: LogFile, text: str, offset: int, skip: bool) -> None:
    if not skip:
        raise CorruptTableError(
            f"log file '{log.path}' {text}; restore the file, or read what is left with the option on_corrupt=skip",
            file=log.path,
            offset=offset,
        )
    _warn(log, text, "as asked")


def _warn(log: LogFile, text: str, reason: str) -> None:
    warnings.warn(f"log file '{log.path}' {text}; what is damaged is left out: {reason}", SkippedCorruption, 2)
