"""Incremental queries: the rows that the commits of a range wrote, in their state at the end of the range."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve, frozen

from hoodoo.archived_timeline import Archive
from hoodoo.errors import OptionError
from hoodoo.filegroup import FileSlice
from hoodoo.timeline import Instant, Timeline, parse_instant

__all__ = ["Range", "commits_of_changes", "completed_until"]

_EARLIEST = frozenset({"earliest", "0", "000"})
"""Values of `begin` that mean no lower bound, as in Hudi."""


@frozen
class Range:
    """Commits of an incremental query.

    Attributes:
        begin: The exclusive lower bound, a time of 17 digits; None for no bound. Bounds are instant times in timeline
            layout 1 and completion times from layout 2 on.
        end: The inclusive upper bound, a time of 17 digits; None for no bound.
        commits: The completed commits of the active timeline between the bounds, in the order of completion;
            () if all of them are log compactions, which change no row.
        is_incomplete: Whether commits after `begin` were archived. Only a read of the whole table finds their rows.
        early: The instant times of the commits of an incomplete range that are not later than `begin`: in layout 2,
            these commits began before `begin` and were completed after it.
    """

    begin: str | None
    end: str | None
    commits: tuple[Instant, ...]
    is_incomplete: bool
    early: frozenset[str] = frozenset()

    @classmethod
    def of(cls, timeline: Timeline, begin: str | None, end: str | None, *, full_scan: bool) -> Range:
        """Return the range for the bounds that a user specified.

        Args:
            timeline: The active timeline.
            begin: The lower bound, exclusive; `earliest`, `0`, `000` or None for no bound.
            end: The upper bound, inclusive; None for no bound.
            full_scan: Whether an incomplete range is accepted.

        Raises:
            OptionError: A bound is not an instant, the range ends before it begins, or it is incomplete and `full_scan`
                is False.
            CorruptTableError: A commit or the archive is damaged.
        """
        first, last = _bounds(begin, end)
        archived = Archive(timeline).commits_between(first, None)
        if archived and not full_scan:
            raise OptionError(
                f"the range begins at {begin or 'the first commit'}, and commits since then were archived, so that "
                f"their rows cannot be found from the timeline; begin at {archived[-1].completed_at} or later, or set "
                "hoodie.datasource.read.incr.fallback.fulltablescan.enable=true to search all files",
                code="archived",
            )
        commits = timeline.commits_between(first, last)
        # a log compaction changes no row, although its blocks have its time
        changed = any(timeline.commit_outline(instant).operation_type != "LOG_COMPACT" for instant in commits)
        early = frozenset(i.time for i in (*archived, *commits) if first is not None and i.time <= first)
        return cls(first, last, commits if changed else (), bool(archived), early if archived else frozenset())

    def at_end(self, timeline: Timeline) -> Timeline:
        """Return the timeline at the end of the range, without instants that were completed later."""
        if self.end is None:
            return timeline
        return completed_until(timeline, self.end)

    def touched(self, timeline: Timeline, slices: Iterable[FileSlice]) -> list[FileSlice]:
        """Return the slices of the file groups that the commits of the range wrote to.

        Raises:
            CorruptTableError: A commit is damaged.
        """
        groups = {group for instant in self.commits for group in timeline.commit_outline(instant).touched()}
        return [s for s in slices if (s.partition, s.file_id) in groups]


def commits_of_changes(timeline: Timeline, begin: str | None, end: str | None) -> tuple[Instant, ...]:
    """Return the completed commits of a query of changes, in the order of completion.

    The bounds are instants in all timeline layouts, as in Hudi: a change shows the instant of its commit, so that a
    query can begin where the one before it ended.

    Args:
        timeline: The active timeline.
        begin: An instant, exclusive; `earliest`, `0`, `000` or None for no bound.
        end: An instant, inclusive; None for no bound.

    Raises:
        OptionError: A bound is not an instant, the range ends before it begins, or commits after `begin` were archived.
        CorruptTableError: The archive is damaged.
    """
    first, last = _bounds(begin, end)
    archived = max((instant.time for instant in Archive(timeline).commits), default="")
    if archived > (first or ""):
        raise OptionError(
            f"the range begins at {begin or 'the first commit'}, and commits since then were archived, so that their "
            f"changes cannot be found from the timeline; begin at {archived} or later",
            code="archived",
        )
    commits = timeline.commits_between(None, None)
    return tuple(i for i in commits if (first is None or i.time > first) and (last is None or i.time <= last))


def _bounds(begin: str | None, end: str | None) -> tuple[str | None, str | None]:
    first = None if begin is None or begin.lower() in _EARLIEST else parse_instant(begin, "begin")
    last = None if end is None else parse_instant(end, "end")
    if first is not None and last is not None and first > last:
        raise OptionError(f"the range begins at {begin} and ends earlier, at {end}; swap 'begin' and 'end'")
    return first, last


def completed_until(timeline: Timeline, end: str, *, inclusive: bool = True) -> Timeline:
    """Return the timeline without the instants that were completed after `end`, or at `end` if `inclusive` is False."""

    def is_kept(instant: Instant) -> bool:
        completed = instant.completed_at
        return completed is None or completed < end or (inclusive and completed == end)

    return evolve(timeline, instants=tuple(filter(is_kept, timeline.instants)))
