"""Decoding the metadata of column chunks where pyarrow catches what its C++ reader throws.

`RowGroupMetaData.column` of pyarrow is declared without `except +`: a C++ exception inside it ends the process. The
reader throws there for size statistics that do not fit the column, and for encrypted columns. `iter_batches` decodes
the same metadata inside a `try` of the C++ reader, which becomes a Python exception.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["decode_chunk_metadata"]


def decode_chunk_metadata(file: pq.ParquetFile, size: int, leaves: Sequence[int]) -> None:
    """Decode the metadata of column chunks in all row groups; afterwards `RowGroupMetaData.column` is safe for them.

    Nothing is read. A reader with pre-buffering decodes the metadata of all chunks before it reads the first one, which
    it takes here from memory that is never touched, for batches of no rows.

    Args:
        file: An open file.
        size: Its bytes.
        leaves: Numbers of leaf columns.

    Raises:
        pyarrow.ArrowException: A chunk has metadata that the C++ reader refuses.
        OSError: As above; pyarrow raises both.
    """
    if not leaves or not file.metadata.num_row_groups:
        return
    reader = type(file.reader)()
    reader.open(_untouched(size), metadata=file.metadata, pre_buffer=True)
    for _ in reader.iter_batches(0, range(reader.num_row_groups), column_indices=leaves, use_threads=False):
        raise AssertionError("pyarrow returned a batch where none was asked for")


def _untouched(size: int) -> pa.BufferReader:
    """A source of so many bytes that takes address space and no memory."""
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return pa.BufferReader(pa.py_buffer(mmap.mmap(-1, size, flags=private, prot=mmap.PROT_READ)))
