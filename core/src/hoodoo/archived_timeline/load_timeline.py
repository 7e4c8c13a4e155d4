"""The timeline of a table, in the folders that its properties name, with its archive."""

from __future__ import annotations

from hoodoo.archived_timeline.archived_timeline import Archive
from hoodoo.properties import TableProperties
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["load_timeline"]


def load_timeline(storage: Storage, properties: TableProperties, known: Timeline | None = None) -> Timeline:
    """List the instants in the layout and the folders of a table.

    Args:
        storage: The table's files.
        properties: The table's.
        known: The same timeline as it was before; what it has read of commits is not read again.
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
