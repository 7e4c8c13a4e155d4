"""Damaged log files: errors for damage to bytes of completed commits, warnings for other damage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from hoodoo.caller import warn_caller
from hoodoo.errors import CorruptTableError
from hoodoo.filegroup import LogFile
from hoodoo.format.log import CorruptBlock, LogBlock
from hoodoo.reading.removed_files import is_uncommitted
from hoodoo.storage import Storage

__all__ = ["Committed", "SkippedCorruption", "check_damage"]

_LOOKED_AT = 1024 * 1024


class SkippedCorruption(UserWarning):
    """Warning that damaged bytes of a log file were left out: uncommitted bytes, or any with `on_corrupt=skip`."""


@frozen
class Committed:
    """Commits of the timeline, which determine the valid log blocks.

    Attributes:
        first: The time of the first commit of the active timeline; all older commits were completed. None without
            commits.
        times: In timeline layout 1, where blocks of failed commits remain in the logs, the completed commits that may
            have written to the slice. None in other layouts, where listed logs are committed.
        bound: The last instant that is visible; None for no bound.
    """

    first: str | None
    times: frozenset[str] | None = None
    bound: str | None = None

    def has(self, block: LogBlock) -> bool:
        """Return whether the instant of a block is committed and visible."""
        if self.times is None:
            return True
        if self.bound is not None and block.instant > self.bound:
            return False
        return block.instant in self.times or self.is_archived(block.instant)

    def is_archived(self, time: str) -> bool:
        """Return whether an instant is older than the first commit of the active timeline."""
        return self.first is not None and time < self.first


def check_damage(
    storage: Storage,
    log: LogFile,
    whole: Sequence[LogBlock],
    damaged: Sequence[CorruptBlock],
    committed: Committed,
    skip: bool,
) -> None:
    """Raise an error for damage to committed bytes of a log file, and warn of other damage.

    Args:
        storage: The table's files.
        log: The log file, with the commits that name it.
        whole: The undamaged blocks of the file.
        damaged: The damaged parts of the file.
        committed: The commits of the timeline.
        skip: Whether to warn of damage to committed bytes instead.

    Raises:
        CorruptTableError: `skip` is False, and a completed commit wrote or may have written damaged bytes, or blocks of
            a completed commit are missing.
    """
    for damage in damaged:
        length = f"{damage.length} byte{'' if damage.length == 1 else 's'}"
        text = f"is damaged at byte {damage.offset} ({length}): {damage.reason}"
        if _is_committed(storage, log, damage, committed):
            _report(log, text, damage.offset, skip)
        else:
            _warn(log, text, "no completed commit wrote it")
    if not whole and not damaged and _is_archived(storage, log, committed):
        _report(log, "is empty, but an archived commit wrote to it", 0, skip)
    for text in _missing(log, whole):
        _report(log, text, log.size, skip)


def _missing(log: LogFile, whole: Sequence[LogBlock]) -> Iterator[str]:
    end = max((end for _, end in log.written), default=0)
    if log.size < end:
        yield f"has {log.size} bytes, but commits wrote {end}"
    instants = {block.instant for block in whole}
    for commit in log.commits:
        if commit not in instants:
            yield f"has no undamaged block of commit {commit}, which names the file"


def _is_archived(storage: Storage, log: LogFile, committed: Committed) -> bool:
    """Return whether an archived commit wrote to a log that no commit of the active timeline names."""
    if log.commits or not committed.is_archived(log.instant):
        return False
    # in layout 1 the name has the instant of the file slice, so that a writer may still be writing the log
    return committed.times is None or not is_uncommitted(storage, log.path)


def _is_committed(storage: Storage, log: LogFile, damage: CorruptBlock, committed: Committed) -> bool:
    """Return whether a completed commit wrote any of the damaged bytes."""
    if not log.commits:
        return _is_archived(storage, log, committed)
    if len(log.written) == len(log.commits):
        return any(start < damage.offset + damage.length and damage.offset < end for start, end in log.written)
    if committed.times is None:
        # from layout 2 on one commit writes a log file
        return True
    # the header of a block and its records contain the instant of the commit
    with storage.open_input(log.path) as source:
        found = source.read_at(min(damage.length, _LOOKED_AT), damage.offset)
    return any(commit.encode() in found for commit in log.commits)


def _report(log: LogFile, text: str, offset: int, skip: bool) -> None:
    if not skip:
        raise CorruptTableError(
            f"log file '{log.path}' {text}; restore the file, or read without the damaged parts with on_corrupt='skip'",
            file=log.path,
            offset=offset,
        )
    _warn(log, text, "on_corrupt is 'skip'")


def _warn(log: LogFile, text: str, reason: str) -> None:
    warn_caller(f"log file '{log.path}' {text}; the damaged part is left out, because {reason}", SkippedCorruption)
