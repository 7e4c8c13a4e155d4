"""Loading of a table's timeline and archive from the folders in its properties."""

from __future__ import annotations

from hoodoo.archived_timeline.archived_timeline import Archive
from hoodoo.properties import TableProperties
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["load_timeline"]


def load_timeline(storage: Storage, properties: TableProperties, known: Timeline | None = None) -> Timeline:
    """Return the timeline in the layout and the folders of a table.

    Args:
        storage: The table's files.
        properties: The table's properties.
        known: An earlier state of the timeline; None for the first load. The folders of the earlier state are listed
            again through its storage, the other arguments are not used, and outlines of commits are kept.

    Raises:
        UnsupportedTable: The layout is not supported.
        CorruptTableError: As in `Timeline.load`.
    """
    if known is not None:
        return known.reloaded()
    return Timeline.load(
        storage,
        properties.layout_version,
        properties.timeline_folder,
        properties.archive_folder,
        is_local=properties.timezone == "LOCAL",
        archive=Archive,
    )
