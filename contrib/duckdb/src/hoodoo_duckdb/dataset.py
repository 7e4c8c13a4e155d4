"""Table as a pyarrow dataset, the form in which DuckDB passes columns and filters."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen
from pyarrow.dataset import InMemoryDataset

import hoodoo
from hoodoo.options import ReadOptions
from hoodoo.reading import Plan
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo_duckdb.read_ahead import read_ahead

__all__ = ["HudiDataset", "Scan"]


@frozen
class Scan:
    """Scan of a table, with the methods of a pyarrow scanner that DuckDB uses."""

    plan: Plan

    def to_reader(self) -> pa.RecordBatchReader:
        """Return the rows. Threads start with the first batch and stop when the reader is closed."""
        return pa.RecordBatchReader.from_batches(self.plan.schema, read_ahead(self.plan.splits))


class HudiDataset(InMemoryDataset):
    """Dataset of a table, which plans each scan with its columns and filter.

    DuckDB pushes columns and filters only into instances of pyarrow's `Dataset`. It uses `schema` and `scanner`; the
    other methods are not implemented, and the base class has no rows.

    Args:
        path: The root folder of the table.
        options: The options of the read.

    Raises:
        HoodooError: The table cannot be read with these options.
    """

    def __init__(self, path: str | os.PathLike[str], options: ReadOptions) -> None:
        self._table = hoodoo.Table(path)
        self._query: dict[str, Any] = {
            "query_type": options.query_type,
            "as_of": options.as_of,
            "begin": options.begin,
            "end": options.end,
            "full_scan": options.full_scan,
            "on_corrupt": options.on_corrupt,
        }
        columns = options.columns
        schema = self._table.plan(columns, **self._query).schema
        if columns is None and not options.meta_columns:
            schema = pa.schema([field for field in schema if field.name not in META_COLUMNS])
        super().__init__(schema.empty_table())

    def scanner(
        self,
        columns: Sequence[str] | None = None,
        filter: pc.Expression | None = None,  # noqa: A002 - the name that pyarrow uses
    ) -> Scan:
        """Return a scan of columns, all by default, and of the rows that match a filter."""
        names = self.schema.names if columns is None else columns
        return Scan(self._table.plan(names, filter, **self._query))
