"""Arrow's size limit for one column of text or bytes, reported as an error of the batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from hoodoo.errors import DataError

__all__ = ["large_columns_named"]

_OVERFLOW = ("offset overflow", "cannot contain more than")


@contextmanager
def large_columns_named() -> Iterator[None]:
    """Raise `DataError` if a column of the rows of a task exceeds the size limit of Arrow arrays.

    Raises:
        DataError: A column of text or bytes has more than 2 GiB in the rows of one file group (code `too_large`).
    """
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        if not isinstance(error, pa.ArrowCapacityError) and not any(text in str(error) for text in _OVERFLOW):
            raise
        raise DataError(
            "a column of text or bytes has more than 2 GiB in the rows that one task merges, which exceeds Arrow's "
            f"limit ({error}); write smaller batches, or make file groups smaller ('max_file_size', and more buckets "
            "if the index is 'bucket')",
            code="too_large",
        ) from error
