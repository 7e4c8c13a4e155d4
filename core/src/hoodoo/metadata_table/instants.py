"""Instants of a metadata table whose changes are visible."""

from __future__ import annotations

from attrs import frozen

from hoodoo.timeline import Timeline

__all__ = ["VisibleInstants"]


@frozen
class VisibleInstants:
    """Instants whose log blocks a reader of the metadata table merges.

    A commit of the table is first completed in the metadata table, then in the table: until then, and if that fails,
    the table has a pending instant of the same time. After a rollback the metadata table has another delta commit,
    which corrects the changes of the failed one.

    Attributes:
        metadata: Timeline of the metadata table.
        pending: Times of the pending instants of the table.
    """

    metadata: Timeline
    pending: frozenset[str]

    @classmethod
    def of(cls, metadata: Timeline, table: Timeline) -> VisibleInstants:
        """Return the visible instants by two timelines."""
        return cls(metadata, frozenset(instant.time for instant in table.pending))

    def has(self, time: str) -> bool:
        """Return whether the changes of an instant are visible."""
        return time not in self.pending and self.metadata.is_visible(time)
