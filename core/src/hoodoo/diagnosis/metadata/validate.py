"""Validation of a metadata table: its content is compared with the files and rows of the table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from hoodoo.diagnosis.checks.metadata_table import check_metadata_table
from hoodoo.diagnosis.diagnose import Diagnosis
from hoodoo.diagnosis.finding import Finding, Place, Status
from hoodoo.diagnosis.metadata.bloom_filters import check_bloom_filters
from hoodoo.diagnosis.metadata.column_statistics import check_column_stats, check_partition_stats
from hoodoo.diagnosis.metadata.file_list import check_file_list
from hoodoo.diagnosis.metadata.index_entries import check_record_index, check_secondary_index
from hoodoo.diagnosis.metadata.metadata_state import MetadataState
from hoodoo.diagnosis.table_state import TableState
from hoodoo.errors import HoodooError
from hoodoo.metadata_table import MetadataTable, PartitionKind, kind_of
from hoodoo.plugin.installed.catalogue import default_catalogue
from hoodoo.properties import load_properties
from hoodoo.storage import ReadOnlyStorage, storage_for
from hoodoo.timeline import utc_now

__all__ = ["validate"]

_Check = Callable[[MetadataState], Iterator[Finding]]
_CHECKS: Mapping[PartitionKind, _Check] = {
    PartitionKind.FILES: check_file_list,
    PartitionKind.COLUMN_STATS: check_column_stats,
    PartitionKind.PARTITION_STATS: check_partition_stats,
    PartitionKind.BLOOM_FILTERS: check_bloom_filters,
    PartitionKind.RECORD_INDEX: check_record_index,
}


def validate(path: str | os.PathLike[str], options: Mapping[str, Any] | None = None) -> Diagnosis:
    """Compare the partitions of a table's metadata table with the files and rows of the table. Nothing is written.

    An error of a check is a finding.

    Args:
        path: The root folder of the table, or its URI.
        options: The access options of an object store.

    Raises:
        NotATable: The path has no table.
        OptionError: An access option has an invalid value.
        UnsupportedTable: The table or its location is not supported, or a package for the location is not installed.
        StorageError: The properties of the table cannot be read.
        CorruptTableError: The properties of the table are damaged.
    """
    storage = ReadOnlyStorage(storage_for(path, options))
    properties = load_properties(storage)
    table = TableState(storage, properties, utc_now(), default_catalogue(), {})
    findings: list[Finding] = []
    unread: list[str] = []
    findings += _found("metadata table", lambda: check_metadata_table(table))
    if properties.metadata_partitions:
        findings += _found("metadata table", lambda: _of_partitions(table, unread))
    facts = {"name": properties.name, "type": properties.table_type, "version": properties.version}
    return Diagnosis(storage.uri, tuple(findings), tuple(unread), facts)


def _of_partitions(table: TableState, unread: list[str]) -> Iterator[Finding]:
    """Yield the findings about the partitions of the metadata table; nothing if it does not exist."""
    metadata = MetadataTable.open(table.storage, table.properties, table.timeline)
    if metadata is None:
        return
    state = MetadataState(table, metadata, unread)
    for partition in table.properties.metadata_partitions:
        check = _check_of(partition)
        if check is None:
            unread.append(f"{partition}: hoodoo does not compare this partition with the table")
        else:
            yield from _found(partition, partial(check, state))


def _check_of(partition: str) -> _Check | None:
    kind = kind_of(partition)
    if kind is PartitionKind.SECONDARY_INDEX:
        return partial(check_secondary_index, partition=partition)
    return None if kind is None else _CHECKS.get(kind)


def _found(check: str, examine: Callable[[], Iterator[Finding]]) -> list[Finding]:
    """Return the findings of a check, or its error as a finding."""
    try:
        return list(examine())
    except HoodooError as error:
        file = getattr(error, "file", None)
        return [Finding(check, Status.PROBLEM, str(error), places=() if file is None else (Place(file=file),))]
