"""Rows of a batch as a sequence of chunks of limited size, independent of the sizes of its Arrow batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from attrs import define, field

from hoodoo.schema.meta_columns import META_COLUMNS

__all__ = ["RowSource"]

CHUNK_ROWS = 64 * 1024
CHUNK_BYTES = 64 * 1024 * 1024


@define
class RowSource:
    """Rows in Arrow, which `chunks` reads.

    Attributes:
        given: The columns, with meta columns if the rows have some.
    """

    given: pa.Schema
    _read: Callable[[], Iterable[pa.RecordBatch]] = field(repr=False)

    @classmethod
    def of_table(cls, table: pa.Table) -> RowSource:
        """Return the rows of a table."""
        return cls(table.schema, table.to_batches)

    @property
    def schema(self) -> pa.Schema:
        """Return the columns without meta columns."""
        return pa.schema([column for column in self.given if column.name not in META_COLUMNS])

    def chunks(self) -> Iterator[pa.Table]:
        """Yield the rows without meta columns, in their order, in tables of at most `CHUNK_ROWS` rows.

        A table has at most about `CHUNK_BYTES` bytes, unless one row is larger.
        """
        wanted = [number for number, column in enumerate(self.given) if column.name not in META_COLUMNS]
        waiting: list[pa.RecordBatch] = []
        rows = size = 0
        for part, bytes_of_part in _limited(self._read()):
            if waiting and (rows + part.num_rows > CHUNK_ROWS or size + bytes_of_part > CHUNK_BYTES):
                yield pa.Table.from_batches(waiting).select(wanted)
                waiting, rows, size = [], 0, 0
            waiting.append(part)
            rows, size = rows + part.num_rows, size + bytes_of_part
        if waiting:
            yield pa.Table.from_batches(waiting).select(wanted)


def _limited(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Yield batches with rows, cut into pieces of equal length if they are too large, and the bytes of each piece."""
    for batch in batches:
        if not batch.num_rows:
            continue
        size = batch.nbytes
        pieces = min(batch.num_rows, max(-(-batch.num_rows // CHUNK_ROWS), -(-size // CHUNK_BYTES)))
        step = -(-batch.num_rows // max(1, pieces))
        for start in range(0, batch.num_rows, step):
            yield batch.slice(start, step), size // max(1, pieces)
