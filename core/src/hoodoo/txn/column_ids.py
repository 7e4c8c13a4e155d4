"""Ids of columns in the metadata of a commit, and the schema history, both in Hudi's form."""

from __future__ import annotations

from operator import attrgetter

from hoodoo.reading.schema.stored_names import HISTORY_FOLDER, history_instant, newest_ids, schema_history
from hoodoo.schema.column_ids import LATEST, ColumnIds, ColumnsChange, encoded_history
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["keep_column_ids"]


def keep_column_ids(
    storage: Storage,
    timeline: Timeline,
    instant: str,
    schema: str,
    change: ColumnsChange | None = None,
    before: str | None = None,
) -> dict[str, str]:
    """Write the schema history of a commit, and return the entries of its metadata with the ids of columns.

    For a table without ids, nothing is written and {} is returned, unless `change` needs ids. The histories of archived
    commits are removed. The history of a commit that fails is ignored.

    Args:
        storage: The table's files.
        timeline: The timeline of the write.
        instant: The instant time of the write.
        schema: The data columns after the write: Avro in JSON.
        change: The change of columns by the commit; None if it changes none.
        before: The data columns before the write, as Avro in JSON. Required for a change of a table without ids: if it
            is None, nothing is written and {} is returned.

    Raises:
        SchemaError: The type of a column cannot be written with an id.
        CorruptTableError: The ids or the history of the table cannot be read.
    """
    found = newest_ids(timeline)
    if found is None and (change is None or not change.needs_ids or before is None):
        return {}
    history = schema_history(storage, timeline)
    if found is not None:
        current = found[1]
    else:
        # the commits with ids may be archived
        current = max(history, key=attrgetter("version"), default=None) or ColumnIds.of_avro(before or schema)
    history = history or (current,)
    ids = current.evolved(schema, int(instant), change)
    versions = history if ids is current else (ids, *history)
    _remove_archived(storage, timeline)
    storage.create(f"{HISTORY_FOLDER}/{instant}.schemacommit", encoded_history(versions))
    return {LATEST: ids.text}


def _remove_archived(storage: Storage, timeline: Timeline) -> None:
    """Remove the histories of archived commits; later histories contain them."""
    for info in storage.list(HISTORY_FOLDER):
        if timeline.first_time is not None and history_instant(info.path) < timeline.first_time:
            storage.delete(info.path)
