"""Record keys of the rows of a table, by file group."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.metadata_table.maintenance.changed_files.parallel import in_threads
from hoodoo.metadata_table.maintenance.record_index_records import KeysOfGroup
from hoodoo.properties import TableProperties
from hoodoo.reading.planner import Query, plan
from hoodoo.reading.split import Split
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["current_keys"]


def current_keys(storage: Storage, properties: TableProperties, timeline: Timeline) -> list[KeysOfGroup]:
    """Return the record keys of each current file slice, after the merge of its logs, in the order of file groups.

    The result is empty if the table has no commits. The slices are read in threads.

    Args:
        storage: The table's files.
        properties: The properties of the table, whose rows have meta columns.
        timeline: The timeline of the table.

    Raises:
        CorruptTableError: A file is damaged or missing.
        TableChanged: A cleaner removed a file since the timeline was loaded.
        UnsupportedTable: A file or a log block needs a feature that hoodoo does not support.
        SchemaError: The values of a column in a file cannot be cast to its type in the table.
        PluginError: The merge rule or a delete rule is not installed, failed, or returned a wrong result.
    """
    if not timeline.commits:
        return []

    def keys_of(split: Split) -> KeysOfGroup:
        parts = [pa.array([], pa.large_binary())]
        parts += [batch.column(0).cast(pa.string()).cast(pa.large_binary()) for batch in split.read()]
        return KeysOfGroup((split.partition, split.file_id), split.file_slice.base_instant, pa.concat_arrays(parts))

    splits = plan(storage, properties, timeline, Query(columns=[RECORD_KEY])).splits
    return sorted(in_threads(keys_of, splits, storage), key=lambda part: part.group)
