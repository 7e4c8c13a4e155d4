"""Files of old file slices of a metadata table, which no reader needs after a later compaction."""

from __future__ import annotations

from collections.abc import Iterator

from hoodoo.archived_timeline import Archive
from hoodoo.format.file_names import LogFileName, hfile_name
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.properties import METADATA_TABLE_FOLDER
from hoodoo.storage import join, name_of

__all__ = ["old_files"]


def old_files(metadata: MetadataTable, partition: str, kept: int) -> Iterator[str]:
    """Yield the paths, relative to the metadata table, of the files of all but the newest slices of each file group.

    Args:
        metadata: The metadata table.
        partition: Name of its partition.
        kept: Number of base files, at least 1, that stay in each file group, with the logs of their slices.
    """
    names = [name_of(info.path) for info in metadata.storage.list(join(METADATA_TABLE_FOLDER, partition))]
    timeline = metadata.metadata
    bases: dict[str, set[str]] = {}
    for name in names:
        base = hfile_name(name)
        if base is not None and timeline.is_visible(base.instant):
            bases.setdefault(base.file_id, set()).add(base.instant)
    oldest = {file_id: sorted(instants)[-kept] for file_id, instants in bases.items() if len(instants) > kept}
    archive = Archive(timeline)
    for name in names:
        base, log = hfile_name(name), LogFileName.parse(name)
        if base is not None and base.instant < oldest.get(base.file_id, ""):
            yield join(partition, name)
        elif log is not None and log.file_id in oldest:
            time: str | None = log.instant
            if timeline.layout > 1:
                # an instant that is not completed has no time
                known = timeline if timeline.has_commit(log.instant) else archive
                is_visible = metadata.visible.has(log.instant)
                time = (known.completion_time_of(log.instant) or log.instant) if is_visible else None
            if time is not None and time < oldest[log.file_id]:
                yield join(partition, name)
