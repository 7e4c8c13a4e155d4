"""Work by a timeline while other processes clean, archive and roll back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hoodoo.errors import CorruptTableError, TableChanged
from hoodoo.timeline.timeline import Timeline

__all__ = ["with_reloads"]

_T = TypeVar("_T")

_MOST = 10


def with_reloads(timeline: Timeline, work: Callable[[Timeline], _T]) -> _T:
    """Run work by a timeline; where a file is gone because the table changed, run it again by the new timeline.

    Args:
        timeline: Where to begin.
        work: Reads; may be run several times.

    Raises:
        CorruptTableError: A file is gone or damaged, and the timeline did not change.
        TableChanged: The table changed each of several times that the work was run.
    """
    for _ in range(_MOST):
        try:
            return work(timeline)
        except (TableChanged, CorruptTableError) as error:
            now = timeline.reloaded()
            if now.instants == timeline.instants and isinstance(error, CorruptTableError):
                raise
            timeline = now
    return work(timeline)
