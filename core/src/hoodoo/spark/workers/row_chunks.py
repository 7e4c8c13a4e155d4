"""The rows of a slice in pieces: Spark holds each of them in one object, an array of structs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from hoodoo.reading import Split
from hoodoo.schema.columns import one_array

__all__ = ["as_list", "in_pieces", "number_of_pieces"]

PIECE_BYTES = 1024 * 1024
"""So many bytes of a slice make a piece."""


def number_of_pieces(split: Split) -> int:
    """In how many pieces the rows of a split come."""
    return 1 + split.size // PIECE_BYTES


def in_pieces(batches: Iterable[pa.RecordBatch], schema: pa.Schema, stored: int, pieces: int) -> Iterator[pa.Table]:
    """Rows in exactly so many tables.

    Half of them are for base rows, and are made while these come; how many there are, their file says. How many come of
    logs nobody knows, but the logs' records are in memory anyhow: what is left is shared out at the end.

    Args:
        batches: The rows, those of the base file first.
        schema: Their columns, of the same types.
        stored: How many rows the base file has.
        pieces: How many tables there are to be; some may be empty.
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
    """Rows as one list of structs, whose fields are named by their place, since names may differ by case alone."""
    columns = [one_array(column) for column in rows.columns]
    structs = pa.StructArray.from_arrays(columns, [str(number) for number in range(len(columns))])
    return pa.ListArray.from_arrays(pa.array([0, len(structs)], pa.int32()), structs)
