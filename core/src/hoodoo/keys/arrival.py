"""Where a row stands in the input of its write: what keys are made of that no column of the row holds.

The number is taken once, before rows move between tasks, and travels with the row. A task that runs again sees the same
number, so a key that is made of it is the same as well.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.errors import DataError
from hoodoo.schema.columns import column_at

__all__ = ["ARRIVAL", "PARTITION_BITS", "positions"]

ARRIVAL = "__hoodoo_arrival"
"""The column of a write's rows that holds the number: the input partition above `PARTITION_BITS` bits of row."""

PARTITION_BITS = 33
"""Bits of an arrival number that hold the row; the bits above them hold the input partition."""


def positions(rows: pa.Table) -> NDArray[np.int64]:
    """The number of each row.

    Raises:
        DataError: The rows have none: they are no rows of a write.
    """
    numbers = column_at(rows, ARRIVAL)
    if numbers is None:
        if rows.num_rows:
            raise DataError(f"the rows have no column '{ARRIVAL}': keys are generated for the rows of a write only")
        return np.empty(0, dtype=np.int64)
    found: NDArray[np.int64] = numbers.to_numpy(zero_copy_only=False)
    return found
