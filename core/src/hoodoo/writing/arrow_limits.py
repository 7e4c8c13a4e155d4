"""Conversion of Arrow's errors about the size of a column of text or bytes to `DataError`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from hoodoo.errors import DataError

__all__ = ["large_columns_named"]

_OVERFLOW = ("offset overflow", "cannot contain more than")
_NAMED = 5


@contextmanager
def large_columns_named(schema: pa.Schema) -> Iterator[None]:
    """Raise `DataError` if a column in the `with` block exceeds the size limit of Arrow arrays.

    Args:
        schema: The columns of the rows. Arrow does not state which column is too large; the error lists those that
            can be.

    Raises:
        DataError: A column of text or bytes has more than 2 GiB in the rows that a task processes together (code
            `too_large`).
    """
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        if not isinstance(error, pa.ArrowCapacityError) and not any(text in str(error) for text in _OVERFLOW):
            raise
        raise DataError(
            f"a column of text or bytes ({_candidates(schema)}) has more than 2 GiB in the rows that one task merges, "
            f"which exceeds Arrow's limit ({error}); write smaller batches, or make file groups smaller "
            "('max_file_size'; with index 'bucket', a new table with more buckets)",
            code="too_large",
        ) from error


def _candidates(schema: pa.Schema) -> str:
    """Return the names of up to `_NAMED` columns whose values have no fixed size, for a message.

    Without such a column, return "the record key".
    """
    names = [
        f"'{column.name}'"
        for column in schema
        if pa.types.is_string(column.type) or pa.types.is_binary(column.type) or pa.types.is_nested(column.type)
    ]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return " or ".join([*names[:_NAMED], *more]) or "the record key"
