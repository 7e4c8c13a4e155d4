"""Records of the partition `files`: the files that an instant adds and removes, and the partitions of the table."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hoodoo.metadata_table.content.hashed_keys import partition_identifier
from hoodoo.metadata_table.content.records import FILES
from hoodoo.metadata_table.maintenance.record_schema import encoded_records, record_schema
from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange
from hoodoo.metadata_table.metadata_table import ALL_PARTITIONS, MetadataTable

__all__ = ["records"]

_PARTITION_LIST, _FILE_LIST = 1, 2


def records(metadata_table: MetadataTable, change: TableChange) -> RecordChange:
    """Return a record for each partition with added or removed files, and one that lists those with added files.

    A partition stays in the list of partitions when its last file is removed, because its folder remains.

    Args:
        metadata_table: The metadata table before the change.
        change: The files that an instant adds to the table and removes from it.

    Raises:
        CorruptTableError: The metadata table has no schema, or a damaged one.
    """
    found: dict[str, dict[str, Any]] = {}
    added = {partition: files for partition, files in change.added.items() if files}
    if added:
        found[ALL_PARTITIONS] = _record(_PARTITION_LIST, {partition_identifier(name): _file(0) for name in added})
    for partition in sorted({*added, *change.removed}):
        entries = {name: _file(0, is_deleted=True) for name in change.removed.get(partition, ())}
        entries |= {name: _file(size) for name, size in added.get(partition, {}).items()}
        if entries:
            found[partition_identifier(partition)] = _record(_FILE_LIST, entries)
    keys = pa.array([key.encode() for key in found], pa.large_binary())
    return RecordChange(keys, encoded_records(record_schema(metadata_table), found.values()))


def _file(size: int, *, is_deleted: bool = False) -> dict[str, Any]:
    return {"size": size, "isDeleted": is_deleted}


def _record(type_: int, entries: dict[str, Any]) -> dict[str, Any]:
    return {"type": type_, FILES: entries}
