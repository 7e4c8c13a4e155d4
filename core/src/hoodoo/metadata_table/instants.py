"""Instants of a metadata table whose changes are visible."""

from __future__ import annotations

from attrs import frozen

from hoodoo.timeline import Timeline

__all__ = ["FIRST_BUILD", "VisibleInstants"]

FIRST_BUILD = "0" * 14
"""Beginning of the times of the commits that build a metadata table, which have no instant of the table."""

_DIGITS = 17
"""Digits of the time of an instant of the table; the metadata table may add some."""


@frozen
class VisibleInstants:
    """Instants whose log blocks a reader of the metadata table merges.

    A commit of the table is first completed in the metadata table, then in the table: until then, and if that fails,
    the table has a pending instant of the same time. After a rollback the metadata table has another delta commit,
    which corrects the changes of the failed one. A commit that began after the timeline of the table was loaded is
    ignored, too: the timeline does not show whether it was completed.

    Attributes:
        metadata: Timeline of the metadata table.
        pending: Times of the pending instants of the table.
        last: The latest time on the timeline of the table; None if it is empty.
    """

    metadata: Timeline
    pending: frozenset[str]
    last: str | None

    @classmethod
    def of(cls, metadata: Timeline, table: Timeline) -> VisibleInstants:
        """Return the visible instants by two timelines."""
        return cls(metadata, frozenset(instant.time for instant in table.pending), table.last_time)

    def has(self, time: str) -> bool:
        """Return whether the changes of an instant are visible."""
        is_known = time.startswith(FIRST_BUILD) or (self.last is not None and time[:_DIGITS] <= self.last)
        return is_known and time not in self.pending and self.metadata.is_visible(time)
