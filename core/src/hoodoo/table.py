"""A Hudi table, without Spark: what it is, what happened to it, what it holds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import OptionError
from hoodoo.filegroup import FileSlice, file_slices
from hoodoo.properties import TableProperties, load_properties
from hoodoo.reading import Split, plan_splits, projected, table_schema
from hoodoo.schema.meta import with_meta
from hoodoo.storage import storage_for
from hoodoo.timeline import Timeline, parse_instant
from hoodoo.writing.commit import Commit, commit_of

__all__ = ["Table"]


class Table:
    """A table at a path, as it was when the object was made; make another to see later commits.

    Args:
        path: Local path or `file:` URI of the table's root folder.

    Raises:
        NotATable: there is none.
        UnsupportedTable: its version, type or features are not supported.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._storage = storage_for(path)
        self.properties: TableProperties = load_properties(self._storage)

    def __repr__(self) -> str:
        return f"Table({self._storage.uri!r})"

    @property
    def path(self) -> str:
        """Where the table is."""
        return self._storage.uri

    @cached_property
    def timeline(self) -> Timeline:
        """What happened to the table, instant by instant."""
        return Timeline.load(self._storage, self.properties.layout_version)

    @property
    def schema(self) -> pa.Schema:
        """The data columns, without meta columns."""
        return table_schema(self.timeline, self.properties)

    def file_slices(self, as_of: str | None = None) -> list[FileSlice]:
        """The file slices that make the table up, now or as of an instant."""
        return file_slices(self._storage, self.timeline, None if as_of is None else parse_instant(as_of))

    def history(self) -> list[Commit]:
        """The completed commits, latest first."""
        return [commit_of(self.path, self.timeline, instant) for instant in reversed(self.timeline.commits)]

    def splits(
        self, columns: Sequence[str] | None = None, *, query_type: str = "snapshot", as_of: str | None = None
    ) -> list[Split]:
        """Parts of the table that any engine can read; together they are what `to_arrow` gives.

        Args:
            columns: Columns to read, meta columns included, in this order; all by default.
            query_type: `snapshot`.
            as_of: Read the table as it was at this instant; every spelling of Hudi's `as.of.instant`.
        """
        if query_type != "snapshot":
            raise OptionError(f"query_type is {query_type!r}; it takes snapshot")
        return plan_splits(self.path, self.file_slices(as_of), projected(self._schema_as_of(as_of), columns))

    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        filter: pc.Expression | None = None,  # noqa: A002 - the word that pyarrow uses
        *,
        query_type: str = "snapshot",
        as_of: str | None = None,
    ) -> pa.Table:
        """The rows as one Arrow table, meta columns first, in no particular order.

        Args:
            columns: Columns to read, in this order; all by default.
            filter: Rows to keep; it may name any column, also one that is not read.
            query_type: `snapshot`.
            as_of: Read the table as it was at this instant; every spelling of Hudi's `as.of.instant`.
        """
        wanted = projected(self._schema_as_of(as_of), columns)
        splits = self.splits(None if filter is not None else columns, query_type=query_type, as_of=as_of)
        if not splits:
            return wanted.empty_table()

        def read(split: Split) -> pa.Table:
            rows = split.read().read_all()
            return rows if filter is None else rows.filter(filter).select(wanted.names)

        with ThreadPoolExecutor(max_workers=min(len(splits), os.cpu_count() or 1)) as pool:
            return pa.concat_tables(pool.map(read, splits))

    def _schema_as_of(self, as_of: str | None) -> pa.Schema:
        timeline = self.timeline if as_of is None else self.timeline.as_of(parse_instant(as_of))
        return with_meta(table_schema(timeline, self.properties))
