"""Metadata table under examination, with the data that several checks use; each part is loaded once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from attrs import define

from hoodoo.diagnosis.table_state import TableState
from hoodoo.filegroup import FileSlice
from hoodoo.metadata_table import ColumnStats, MetadataTable
from hoodoo.storage import join, name_of

__all__ = ["MetadataState"]


@define(eq=False)
class MetadataState:
    """State of a table and of its metadata table.

    Attributes:
        table: The state of the table.
        metadata: Its metadata table.
        unread: Descriptions of everything that is not examined.
    """

    table: TableState
    metadata: MetadataTable
    unread: list[str]

    @cached_property
    def files(self) -> Mapping[str, int]:
        """Return the size in bytes of each file in the metadata table, by table-relative path."""
        return {
            join(partition, name): size
            for partition, files in self.metadata.files().items()
            for name, size in files.items()
        }

    @cached_property
    def slices(self) -> Mapping[str, FileSlice]:
        """Return the current file slices, by the names of their base files and logs."""
        return {name_of(path): s for s in self.table.slices for path in s.paths}

    @cached_property
    def column_stats(self) -> list[ColumnStats]:
        """Return the statistics of the columns of each file that the metadata table has."""
        return self.metadata.column_stats()
