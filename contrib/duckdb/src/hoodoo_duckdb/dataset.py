"""A table as a pyarrow dataset, into which DuckDB pushes columns and filters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, frozen
from pyarrow.dataset import InMemoryDataset

from hoodoo import Table
from hoodoo.options import ReadOptions
from hoodoo.reading import Plan
from hoodoo.table import plan_query
from hoodoo_duckdb.read_ahead import read_ahead

__all__ = ["HudiDataset", "Scan"]


@frozen
class Scan:
    """One scan of a table, with the part of the interface of a pyarrow scanner that DuckDB uses."""

    plan: Plan

    def to_reader(self) -> pa.RecordBatchReader:
        """Return a reader of the rows. Threads start with the first batch, and stop at the end or when it is closed."""
        return pa.RecordBatchReader.from_batches(self.plan.schema, map(_without_offsets, read_ahead(self.plan.splits)))


class HudiDataset(InMemoryDataset):
    """Dataset of a Hudi table that plans each scan for the columns and the filter of the scan.

    DuckDB pushes columns and filters only into instances of pyarrow's `Dataset`, and uses only `schema` and `scanner`.
    The rest of the interface is not meaningful: the dataset in memory has no rows.

    Args:
        table: The table that each scan reads.
        options: The options of the read; each scan replaces its `columns`.

    Raises:
        HoodooError: The table cannot be read with these options.
    """

    def __init__(self, table: Table, options: ReadOptions) -> None:
        self._table, self._options = table, options
        super().__init__(plan_query(table, options).schema.empty_table())

    def scanner(
        self,
        columns: Sequence[str] | None = None,
        filter: pc.Expression | None = None,  # noqa: A002 - the word that pyarrow uses
    ) -> Scan:
        """Return a scan of the given columns and the rows that pass the filter; by default, of all columns and rows.

        Raises:
            HoodooError: The table cannot be read with these columns and this filter.
        """
        names = self.schema.names if columns is None else columns
        return Scan(plan_query(self._table, evolve(self._options, columns=tuple(names)), condition=filter))


def _without_offsets(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch with copies of the columns that contain structs and have an offset, which DuckDB cannot read."""
    columns = [
        column.take(np.arange(len(column))) if column.offset and _has_structs(column.type) else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _has_structs(type_: pa.DataType) -> bool:
    """Return whether a type is or contains a struct, a map or a union, at any depth."""
    if pa.types.is_struct(type_) or pa.types.is_map(type_) or pa.types.is_union(type_):
        return True
    return pa.types.is_nested(type_) and any(_has_structs(type_.field(i).type) for i in range(type_.num_fields))
