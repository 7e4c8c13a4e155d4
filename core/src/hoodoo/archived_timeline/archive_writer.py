"""Archiving of instants in both timeline layouts."""

from __future__ import annotations

from collections.abc import Sequence

from hoodoo.archived_timeline.instant_contents import archivable_instants
from hoodoo.archived_timeline.layout1_writer import add_log_file
from hoodoo.archived_timeline.layout2_writer import add_history_file
from hoodoo.timeline import Instant, Timeline

__all__ = ["add_to_archive"]


def add_to_archive(timeline: Timeline, instants: Sequence[Instant]) -> list[Instant]:
    """Write completed instants durably to the archive, and return the states whose files can be deleted.

    Instants that an interrupted archiver has written are written again; readers tolerate repeated instants.

    Args:
        timeline: The timeline of the instants.
        instants: The oldest completed instants, in the order of their times; at least one.

    Returns:
        The instants in each of their states, in the order in which the files must be deleted: the oldest instant first,
        and the completed state of an instant last. A concurrent listing then never shows an instant as pending again.

    Raises:
        CorruptTableError: The file of an instant or the archive is corrupt.
        UnsupportedTable: The codec of a file that is read is not supported.
        StorageError: The store failed; no instant is lost.
        TableChanged: A file was removed since the timeline was listed.
    """
    archivable = archivable_instants(timeline, instants)
    (add_log_file if timeline.layout == 1 else add_history_file)(timeline, archivable)
    return [state for one in archivable for state, _ in one.states]
