"""Reading columns of an Avro container with polars."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pyarrow as pa

__all__ = ["read_columns"]


def read_columns(container: bytes, columns: Sequence[str], rows: int) -> list[pa.Array]:
    """Return the columns of an Avro container that have the given names, in the order of these names.

    Only plain types are supported: polars does not read maps and enums in unions, truncates an `int` that is too long,
    and interprets any branch of a union other than the first as the second.

    Raises:
        ValueError: The bytes do not match the schema, as far as polars detects it, or do not have `rows` rows.
    """
    import polars
    from polars.exceptions import PanicException, PolarsError

    try:
        frame = polars.read_avro(io.BytesIO(container), columns=list(columns))
    except (PolarsError, PanicException, OSError) as error:
        # polars panics, with a BaseException, on a length beyond the end
        raise ValueError(f"the bytes do not match their schema: {error}") from error
    if frame.height != rows:
        raise ValueError(f"the bytes have {frame.height} rows instead of {rows}")
    return [frame.get_column(name).to_arrow() for name in columns]
