"""Columns out of an Avro container, by polars."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pyarrow as pa

__all__ = ["read_columns"]


def read_columns(container: bytes, columns: Sequence[str], rows: int) -> list[pa.Array]:
    """The columns named, which have to be in the order of the schema.

    Plain types only: it knows no maps and no enums in unions, cuts off an `int` that is too long, and takes any branch
    of a union that is not the first for the second one.

    Raises:
        ValueError: The bytes do not fit the schema, as far as that shows, or there are not so many rows.
    """
    import polars
    from polars.exceptions import PanicException, PolarsError

    try:
        frame = polars.read_avro(io.BytesIO(container), columns=list(columns))
    except (PolarsError, PanicException, OSError) as error:
        # a panic, which derives from BaseException, is how a length beyond the end shows
        raise ValueError(f"the bytes do not fit their schema: {error}") from error
    if frame.height != rows:
        raise ValueError(f"{frame.height} rows instead of {rows}")
    return [frame.get_column(name).to_arrow() for name in columns]
