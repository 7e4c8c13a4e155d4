"""Arrival number of a row, which orders the incoming rows of a write, and from which keys can be generated.

By default, it is the position of the row in the input. The number is assigned once, before rows are shuffled, and
stored in a column. A task that runs again reads the same number, so the keys generated from it are the same.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hoodoo.errors import DataError
from hoodoo.schema.columns import column_at

__all__ = ["ARRIVAL", "PARTITION_BITS", "positions"]

ARRIVAL = "__hoodoo_arrival"
"""Column with the arrival number of each row of a write."""

PARTITION_BITS = 33
"""Bits of a position in the input that hold the row within its input partition; the bits above hold the partition."""


def positions(rows: pa.Table) -> NDArray[np.int64]:
    """Return the arrival number of each row; an empty array if there are no rows.

    Raises:
        DataError: There are rows, but the column is missing, because they are not the rows of a write.
    """
    numbers = column_at(rows, ARRIVAL)
    if numbers is None:
        if rows.num_rows:
            raise DataError(f"the rows have no column '{ARRIVAL}'; generate keys for the rows of a write only")
        return np.empty(0, dtype=np.int64)
    found: NDArray[np.int64] = numbers.to_numpy(zero_copy_only=False)
    return found
