"""Safe decoding of the metadata of Parquet column chunks.

`RowGroupMetaData.column` of pyarrow is declared without `except +`: a C++ exception inside it ends the process. The
reader throws exceptions there for size statistics that do not match the column, and for encrypted columns.
`iter_batches` decodes the same metadata inside a `try` of the C++ reader, which becomes a Python exception.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["decode_chunk_metadata"]


def decode_chunk_metadata(file: pq.ParquetFile, size: int, leaves: Sequence[int]) -> None:
    """Decode the metadata of column chunks in all row groups, so that `RowGroupMetaData.column` is safe for them.

    No file content is read: a reader with pre-buffering decodes the metadata of all chunks before it reads the first
    one, and here it reads from unused virtual memory, for batches of no rows.

    Args:
        file: An open file.
        size: Its size in bytes.
        leaves: Numbers of the leaf columns whose metadata is decoded.

    Raises:
        pyarrow.ArrowException: The C++ reader rejects the metadata of a chunk.
        OSError: pyarrow raises it as well for such metadata.
    """
    if not leaves or not file.metadata.num_row_groups:
        return
    reader = type(file.reader)()
    reader.open(_virtual_source(size), metadata=file.metadata, pre_buffer=True)
    for _ in reader.iter_batches(0, range(reader.num_row_groups), column_indices=leaves, use_threads=False):
        raise AssertionError("pyarrow returned a batch although no rows were requested")


def _virtual_source(size: int) -> pa.BufferReader:
    """Return a source of `size` bytes that occupies address space but no memory."""
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return pa.BufferReader(pa.py_buffer(mmap.mmap(-1, size, flags=private, prot=mmap.PROT_READ)))
