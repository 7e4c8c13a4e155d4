"""Repetition of work on a timeline that other processes change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hoodoo.errors import CorruptTableError, TableChanged
from hoodoo.timeline.timeline import Timeline

__all__ = ["run_with_reloads"]

_T = TypeVar("_T")

_MOST_RUNS = 10


def run_with_reloads(timeline: Timeline, work: Callable[[Timeline], _T]) -> _T:
    """Run work on a timeline; if a file is missing because the table changed, run it again on the new timeline.

    Args:
        timeline: The timeline of the first run.
        work: A function without side effects; it may run several times.

    Raises:
        CorruptTableError: A file is missing or corrupt, and the timeline did not change, or changed during each of
            several runs.
        TableChanged: The table changed during each of several runs.
    """
    for _ in range(_MOST_RUNS):
        try:
            return work(timeline)
        except (TableChanged, CorruptTableError) as error:
            now = timeline.reloaded()
            if now.instants == timeline.instants and isinstance(error, CorruptTableError):
                raise
            timeline = now
    return work(timeline)
