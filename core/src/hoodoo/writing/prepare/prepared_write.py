"""Write that has passed every check that needs no rows."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from hoodoo.filegroup import FileSlice
from hoodoo.options import ConcurrencyOptions, WriteOptions
from hoodoo.schema.column_ids import ColumnsChange
from hoodoo.timeline import Timeline
from hoodoo.writing.write_spec import WriteSpec

__all__ = ["Prepared"]


@frozen(kw_only=True)
class Prepared(WriteSpec):
    """Write that has passed every check that needs no rows.

    Attributes:
        properties: The properties of the table, or those with which it is created.
        options: The options of the write.
        concurrency: The options of concurrency with other writers.
        drops_metadata: Whether the metadata table is removed before the write begins.
        timeline: The timeline with which the write is planned; None if there is no table yet.
        slices: The file slices of that timeline.
        change: The change of columns by the write; None if it changes none.
    """

    properties: Mapping[str, str]
    options: WriteOptions
    concurrency: ConcurrencyOptions
    drops_metadata: bool = False
    timeline: Timeline | None = None
    slices: list[FileSlice] = field(factory=list)
    change: ColumnsChange | None = None
