"""Division of the rows of a slice into pieces. Spark keeps each piece in one object, an array of structs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from hoodoo.reading import Split
from hoodoo.schema.columns import one_array

__all__ = ["as_list", "in_pieces", "number_of_pieces"]

PIECE_BYTES = 1024 * 1024
"""The number of bytes of a slice per piece."""


def number_of_pieces(split: Split) -> int:
    """Return the number of pieces into which the rows of a split are divided."""
    return 1 + split.size // PIECE_BYTES


def in_pieces(batches: Iterable[pa.RecordBatch], schema: pa.Schema, stored: int, pieces: int) -> Iterator[pa.Table]:
    """Yield rows in exactly `pieces` tables.

    Half of the tables are for base rows, whose number is known, and are created while the rows arrive. The number of
    rows from logs is unknown, but the records of the logs are in memory: all remaining rows are divided evenly at the
    end.

    Args:
        batches: The rows, those of the base file first.
        schema: The columns of the tables; their types are those of the rows.
        stored: The number of rows in the base file.
        pieces: The number of tables; some may be empty.
    """
    left, size = pieces, -(-stored // max(1, pieces // 2))
    held = schema.empty_table()
    for batch in batches:
        held = pa.concat_tables([held, pa.Table.from_arrays(batch.columns, schema=schema)])
        while held.num_rows > size and left > pieces - pieces // 2:
            yield held.slice(0, size)
            held, left = held.slice(size), left - 1
    size = -(-held.num_rows // left)
    for number in range(left):
        yield held.slice(number * size, size)


def as_list(rows: pa.Table) -> pa.ListArray:
    """Return rows as one list of structs. Fields are named by position because names may differ only in case."""
    columns = [one_array(column) for column in rows.columns]
    structs = pa.StructArray.from_arrays(columns, [str(number) for number in range(len(columns))])
    return pa.ListArray.from_arrays(pa.array([0, len(structs)], pa.int32()), structs)
