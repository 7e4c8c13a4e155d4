"""Incremental reads: the rows that the commits of a range wrote, as they are at its end."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve, frozen

from hoodoo.archived_timeline import Archive
from hoodoo.errors import OptionError
from hoodoo.filegroup import FileSlice
from hoodoo.timeline import Instant, Timeline, parse_instant

__all__ = ["Range"]

_EARLIEST = frozenset({"earliest", "0", "000"})
"""What Hudi's users write for "from the first commit on"."""


@frozen
class Range:
    """The commits of an incremental read.

    Attributes:
        begin: 17 digits, not included; None for no bound. Times are those of the instants in timeline layout 1,
            completion times from layout 2 on.
        end: 17 digits, included; None for no bound.
        commits: The completed commits of the active timeline between them, in the order of their completion.
        is_incomplete: Whether some were archived: what these wrote can be found by reading the whole table only.
    """

    begin: str | None
    end: str | None
    commits: tuple[Instant, ...]
    is_incomplete: bool

    @classmethod
    def of(cls, timeline: Timeline, begin: str | None, end: str | None, *, full_scan: bool) -> Range:
        """The range that a user wrote.

        Args:
            timeline: The active timeline.
            begin: An instant, `earliest` or None.
            end: An instant or None.
            full_scan: Whether a range that is incomplete is taken; it is refused otherwise.

        Raises:
            OptionError: a bound is no instant, the range ends before it begins, or it is incomplete.
        """
        first = None if begin is None or begin.lower() in _EARLIEST else parse_instant(begin)
        last = None if end is None else parse_instant(end)
        if first is not None and last is not None and first > last:
            raise OptionError(f"the range begins at {begin} and ends before, at {end}; exchange them")
        incomplete = Archive(timeline).is_archived(first)
        if incomplete and not full_scan:
            raise OptionError(
                f"the range begins at {begin or 'the first commit'}, and commits since then were archived: what they "
                f"wrote cannot be told apart any more. Begin at {timeline.first_time} or later, or set "
                "hoodie.datasource.read.incr.fallback.fulltablescan.enable=true to look for the rows in all files",
                code="archived",
            )
        commits = timeline.commits_between(first, last)
        # a compaction of logs alone changes no row, though its blocks carry its time
        changed = any(timeline.commit_outline(instant).operation_type != "LOG_COMPACT" for instant in commits)
        return cls(first, last, commits if changed else (), incomplete)

    def at_end(self, timeline: Timeline) -> Timeline:
        """The timeline without what was completed after the range, so that rows show as they were then."""
        if self.end is None:
            return timeline
        kept = (i for i in timeline.instants if not i.is_completed or (i.completed_at or i.time) <= self.end)
        return evolve(timeline, instants=tuple(kept))

    def touched(self, timeline: Timeline, slices: Iterable[FileSlice]) -> list[FileSlice]:
        """The slices of the file groups that the range's commits wrote to."""
        groups = {group for instant in self.commits for group in timeline.commit_outline(instant).touched()}
        return [s for s in slices if (s.partition, s.file_id) in groups]
