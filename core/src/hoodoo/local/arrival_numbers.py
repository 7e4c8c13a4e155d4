"""Arrival numbers of rows in this process, by the option `arrival`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import SchemaError
from hoodoo.schema.columns import column_at, one_array

__all__ = ["arrival_numbers"]

NO_ARRIVAL = -(2**63)
"""The arrival number of a row whose arrival column is null: the row precedes all others."""


def arrival_numbers(rows: pa.Table, arrival: str, first: int) -> pa.Array:
    """Return the arrival numbers of rows as `int64`.

    Args:
        rows: The rows, in the types of a table.
        arrival: `position`, `content` or the name of a column.
        first: The position of the first row in the batch.

    Raises:
        SchemaError: The column is missing, or is not of whole numbers, dates or timestamps (code `arrival_type`).
    """
    if arrival == "position":
        return pa.array(np.arange(first, first + rows.num_rows, dtype=np.int64))
    if arrival == "content":
        import polars as pl

        frame = pl.DataFrame(pl.from_arrow(rows))
        return frame.hash_rows(seed=0).reinterpret(signed=True).to_arrow().cast(pa.int64())
    column = column_at(rows, arrival)
    if column is None:
        raise SchemaError(
            f"the rows have no column '{arrival}', which option 'arrival' names; use 'position', 'content' or a column "
            "of the rows",
            code="arrival_type",
        )
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", column.type.tz))
    elif pa.types.is_date32(column.type):
        column = column.cast(pa.int32())
    elif not pa.types.is_integer(column.type):
        raise SchemaError(
            f"arrival column '{arrival}' is of type {column.type}; use a whole number, date or timestamp column",
            code="arrival_type",
        )
    return one_array(pc.fill_null(column.cast(pa.int64()), pa.scalar(NO_ARRIVAL, pa.int64())))
