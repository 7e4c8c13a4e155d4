"""Adding instants to the archive, whichever layout the timeline has."""

from __future__ import annotations

from collections.abc import Sequence

from hoodoo.archived_timeline.instant_contents import leaving
from hoodoo.archived_timeline.layout1_writer import add_log_file
from hoodoo.archived_timeline.layout2_writer import add_history_file
from hoodoo.timeline import Instant, Timeline

__all__ = ["add_to_archive"]


def add_to_archive(timeline: Timeline, instants: Sequence[Instant]) -> list[Instant]:
    """Write completed instants to the archive, durably, and then say what may be taken off the timeline.

    Instants that an interrupted archiver had archived already are archived twice, which readers tolerate.

    Args:
        timeline: Has the instants; says layout and folders.
        instants: The oldest ones, in the order of their times.

    Returns:
        The files that now can be deleted, in this order: the oldest instants first, and of each the completed file
        last. Whoever lists the timeline meanwhile then sees none of them come back as pending.

    Raises:
        CorruptTableError: An instant's file cannot be understood, or the archive is damaged.
        StorageError: The store failed; no instant is lost.
    """
    departing = leaving(timeline, instants)
    (add_log_file if timeline.layout == 1 else add_history_file)(timeline, departing)
    return [state for one in departing for state, _ in one.states]
