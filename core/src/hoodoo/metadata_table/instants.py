"""Instants of a metadata table whose changes are visible."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from attrs import frozen
from msgspec import Struct

from hoodoo.timeline import Timeline

__all__ = ["FIRST_BUILD", "BlockInstants", "KnownInstants", "VisibleInstants"]

FIRST_BUILD = "0" * 14
"""Prefix of the times of the commits that build a metadata table, which are not instants of the table."""

_DIGITS = 17
"""Number of digits of an instant time of the table; the metadata table may append a suffix."""


class BlockInstants(Protocol):
    """Instants whose log blocks a reader of the metadata table merges."""

    @property
    def layout(self) -> int:
        """Return the layout of the timeline of the metadata table."""
        ...

    def has(self, time: str) -> bool:
        """Return whether the changes of an instant are visible."""
        ...


class KnownInstants(Struct, frozen=True):
    """Instants whose log blocks a reader merges, as plain values that can be sent to tasks as text.

    Attributes:
        layout: The layout of the timeline of the metadata table.
        completed: Times of the completed commits of the metadata table.
        first: Time of the first commit on the timeline of the metadata table; earlier commits are completed. None
            without commits.
        pending: Times of the pending instants of the table.
        last: The latest time on the timeline of the table; None if it is empty.
    """

    layout: int
    completed: frozenset[str]
    first: str | None
    pending: frozenset[str]
    last: str | None

    def has(self, time: str) -> bool:
        """Return whether the changes of an instant are visible."""
        is_known = time.startswith(FIRST_BUILD) or (self.last is not None and time[:_DIGITS] <= self.last)
        is_completed = time in self.completed or (self.first is not None and time < self.first)
        return is_known and time not in self.pending and is_completed


@frozen
class VisibleInstants:
    """Instants whose log blocks a reader of the metadata table merges.

    A commit of the table is completed first in the metadata table, then in the table. In between, and if the second
    step fails, the table has a pending instant of the same time. A rollback of the table also rolls back the delta
    commit in the metadata table. A commit that began after the timeline of the table was loaded
    is ignored, too: the timeline does not show whether it was completed.

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
        """Return the instants that are visible according to the timelines of the metadata table and of the table."""
        return cls(metadata, frozenset(instant.time for instant in table.pending), table.last_time)

    @property
    def layout(self) -> int:
        """Return the layout of the timeline of the metadata table."""
        return self.metadata.layout

    @cached_property
    def known(self) -> KnownInstants:
        """Return the instants as values that tasks can receive."""
        completed = frozenset(commit.time for commit in self.metadata.commits)
        return KnownInstants(self.layout, completed, self.metadata.first_time, self.pending, self.last)

    def has(self, time: str) -> bool:
        """Return whether the changes of an instant are visible."""
        return self.known.has(time)
