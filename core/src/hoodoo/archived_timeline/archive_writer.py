"""Archiving of instants in both timeline layouts."""

from __future__ import annotations

from collections.abc import Sequence

from hoodoo.archived_timeline.instant_contents import archivable_instants
from hoodoo.archived_timeline.layout1_writer import add_log_file
from hoodoo.archived_timeline.layout2_writer import add_history_file
from hoodoo.timeline import Instant, Timeline

__all__ = ["add_to_archive"]


def add_to_archive(timeline: Timeline, instants: Sequence[Instant]) -> list[Instant]:
    """Write completed instants to the archive, durably, and return the files that can be deleted from the timeline.

    Instants that an interrupted archiver wrote already are written again, which readers tolerate.

    Args:
        timeline: The timeline of the instants.
        instants: The oldest instants, in the order of their times.

    Returns:
        The files to delete, in this order: the oldest instants first, and of each instant the completed file last. A
        concurrent listing then never shows an instant as pending again.

    Raises:
        CorruptTableError: An instant's file is corrupt, or the archive is.
        StorageError: The store failed; no instant is lost.
    """
    archivable = archivable_instants(timeline, instants)
    (add_log_file if timeline.layout == 1 else add_history_file)(timeline, archivable)
    return [state for one in archivable for state, _ in one.states]
