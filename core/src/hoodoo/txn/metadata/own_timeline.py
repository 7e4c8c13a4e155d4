"""Timeline of a metadata table with paths relative to the metadata table, like the timeline of any table."""

from __future__ import annotations

from hoodoo.archived_timeline import Archive
from hoodoo.metadata_table import MetadataTable
from hoodoo.properties import METADATA_TABLE_FOLDER
from hoodoo.storage import SubfolderStorage
from hoodoo.timeline import Timeline

__all__ = ["own_timeline"]


def own_timeline(metadata: MetadataTable) -> Timeline:
    """Return the timeline of a metadata table, listed again; its paths are relative to the metadata table."""
    timeline = metadata.metadata
    prefix = f"{METADATA_TABLE_FOLDER}/"
    return Timeline.load(
        SubfolderStorage(metadata.storage, METADATA_TABLE_FOLDER),
        timeline.layout,
        timeline.folder.removeprefix(prefix),
        timeline.archive_folder.removeprefix(prefix),
        is_local=timeline.is_local,
        archive=Archive,
    )
