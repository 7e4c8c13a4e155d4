"""Partitions of a metadata table that hoodoo keeps current, and the functions that return their records."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hoodoo.metadata_table.maintenance import file_records
from hoodoo.metadata_table.maintenance.table_change import RecordChange, TableChange
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.metadata_table.partition_kind import PartitionKind, kind_of
from hoodoo.properties import TableProperties
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["RecordFunction", "record_function"]

RecordFunction = Callable[[Storage, TableProperties, Timeline, MetadataTable, TableChange], RecordChange]
"""Function of the table's files, its properties, its timeline, the metadata table before a change, and the change."""

_FUNCTIONS: Mapping[PartitionKind, RecordFunction] = {
    PartitionKind.FILES: file_records.records,
}


def record_function(partition: str) -> RecordFunction | None:
    """Return the function of a partition's records; None if hoodoo cannot keep the partition."""
    kind = kind_of(partition)
    return None if kind is None else _FUNCTIONS.get(kind)
