"""The timeline of a table, where its properties say that it is."""

from __future__ import annotations

from hoodoo.properties.table import TableProperties
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["load_timeline"]


def load_timeline(storage: Storage, properties: TableProperties) -> Timeline:
    """List the instants in the layout and the folders of a table."""
    return Timeline.load(storage, properties.layout_version, properties.timeline_folder, properties.archive_folder)
