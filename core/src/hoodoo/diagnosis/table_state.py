"""Table under examination, with the data that several checks use; each part is loaded once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

import pyarrow as pa
from attrs import define

from hoodoo.archived_timeline import Archive, load_timeline
from hoodoo.filegroup import FileGroup, FileSlice, file_groups
from hoodoo.options import Options, parse
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.properties import TableProperties
from hoodoo.reading import table_schema
from hoodoo.storage import FileInfo, Storage
from hoodoo.timeline import Timeline
from hoodoo.writing.prepare.prepare import GROUPS

__all__ = ["TableState"]


@define(eq=False)
class TableState:
    """State of a table at the time of its diagnosis.

    Attributes:
        storage: The table's files, read only.
        properties: The table's properties.
        now: The current time, with a zone.
        catalogue: The catalogue of plugins.
        options: The options of the user's writes, with which the next write is checked.
    """

    storage: Storage
    properties: TableProperties
    now: datetime
    catalogue: Catalogue
    options: Mapping[str, Any]

    @cached_property
    def timeline(self) -> Timeline:
        """Return the active timeline. Raise `CorruptTableError` if instants contradict each other."""
        return load_timeline(self.storage, self.properties)

    @cached_property
    def archive(self) -> Archive:
        """Return the archive of the timeline."""
        return Archive(self.timeline)

    @cached_property
    def files(self) -> tuple[FileInfo, ...]:
        """Return all files of the table except those of its `.hoodie` folder."""
        return tuple(self.storage.walk())

    @cached_property
    def groups(self) -> list[FileGroup]:
        """Return the file groups. Missing files are not an error here."""
        return file_groups(self.storage, self.timeline)

    @cached_property
    def slices(self) -> list[FileSlice]:
        """Return the current file slices. Missing files are not an error here."""
        return [group.latest for group in self.groups]

    @cached_property
    def columns(self) -> pa.Schema:
        """Return the data columns, without meta columns; empty for a table without schema and without commits.

        Raises:
            CorruptTableError: A commit or its schema is damaged, or commits exist and no schema is stored.
        """
        return table_schema(self.timeline, self.properties)

    @cached_property
    def write_options(self) -> Options:
        """Return the options of the user's writes. Raise `OptionError` if one of them is invalid."""
        return parse(self.options, GROUPS)
