"""Splitting of rows into row groups, so that pages of long values stay below the limit of readers."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

__all__ = ["row_groups"]

_BATCH_ROWS = 1024
"""Number of rows that pyarrow adds to a page before it checks the size of the page (`write_batch_size`)."""

_MOST_BYTES = 32 << 20
"""Maximum bytes of one column in a batch; `chunk_check` rejects strongly compressed pages of twice the size."""


def row_groups(table: pa.Table) -> Iterator[pa.Table]:
    """Yield the rows of a table in one part per row group.

    There are several parts only if a column has more than 32 MiB in a batch of 1024 rows.
    """
    long = [column for column in table.columns if column.nbytes > _MOST_BYTES]
    if not long:
        yield table
        return
    start = 0
    for at in range(0, table.num_rows, _BATCH_ROWS):
        most = max(column.slice(at, _BATCH_ROWS).nbytes for column in long)
        if most <= _MOST_BYTES:
            continue
        batch = table.slice(at, _BATCH_ROWS)
        if start < at:
            yield table.slice(start, at - start)
        rows = max(1, batch.num_rows * _MOST_BYTES // most)
        yield from (batch.slice(first, rows) for first in range(0, batch.num_rows, rows))
        start = at + batch.num_rows
    if start < table.num_rows:
        yield table.slice(start)
