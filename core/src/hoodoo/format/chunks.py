"""Column chunks of Parquet that do not fit their row group, or whose pages would expand beyond measure.

A page is decompressed whole, before any of its rows is there.
"""

from __future__ import annotations

import io
from collections.abc import Collection

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["check_chunks"]

_MOST_EXPANSION = 200
_ALWAYS_ALLOWED = 64 << 20
"""Bytes of a page. Writers make pages of about one megabyte; a single value may be longer."""

_HEADER = 64 << 10
_UNCOMPRESSED, _COMPRESSED = 2, 3


def check_chunks(file: pq.ParquetFile, source: pa.NativeFile | io.RawIOBase, columns: Collection[str]) -> None:
    """Check the number of values of column chunks; and the pages of those that expand suspiciously, which few do.

    Args:
        file: An open file.
        source: What it was opened from.
        columns: The columns that will be read.

    Raises:
        pyarrow.ArrowInvalid: A chunk does not have a value for each row, or a page would take more memory than its
            bytes can justify.
    """
    leaves = list(map(file.schema.column, range(len(file.schema))))
    wanted = [
        (number, leaf.max_repetition_level == 0)
        for number, leaf in enumerate(leaves)
        if leaf.path.partition(".")[0] in columns
    ]
    for group in map(file.metadata.row_group, range(file.metadata.num_row_groups)):
        for number, is_flat in wanted:
            chunk = group.column(number)
            if chunk.num_values != group.num_rows if is_flat else chunk.num_values < group.num_rows:
                raise pa.ArrowInvalid(
                    f"column '{chunk.path_in_schema}' has {chunk.num_values} values for {group.num_rows} rows"
                )
            if _is_beyond_measure(chunk.total_uncompressed_size, chunk.total_compressed_size):
                _check_pages(chunk, source)


def _is_beyond_measure(uncompressed: int, compressed: int) -> bool:
    return uncompressed > max(_ALWAYS_ALLOWED, _MOST_EXPANSION * compressed)


def _check_pages(chunk: pq.ColumnChunkMetaData, source: pa.NativeFile | io.RawIOBase) -> None:
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < at:
        at = chunk.dictionary_page_offset
    end = at + chunk.total_compressed_size
    while at < end:
        source.seek(at)
        header = source.read(min(_HEADER, end - at)) or b""
        try:
            sizes, length = _sizes(header)
        except (LookupError, RecursionError):
            # no header that ends; whoever reads the page says so
            return
        uncompressed, compressed = sizes.get(_UNCOMPRESSED, 0), sizes.get(_COMPRESSED, 0)
        if _is_beyond_measure(uncompressed, compressed):
            raise pa.ArrowInvalid(
                f"the page at byte {at} of column '{chunk.path_in_schema}' would expand from {compressed} to "
                f"{uncompressed} bytes"
            )
        at += length + max(compressed, 0)


def _sizes(header: bytes) -> tuple[dict[int, int], int]:
    """The integers of a page header by field number, and its length. Raises `LookupError` where it is none."""
    compact = _Compact(header)
    return compact.struct(), compact.at


class _Compact:
    """Bytes of Thrift's compact protocol, of which only integers are wanted."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def struct(self) -> dict[int, int]:
        """The integers of a structure by field number; what else it holds is passed over."""
        found: dict[int, int] = {}
        number = 0
        while byte := self._byte():
            kind, step = byte & 0x0F, byte >> 4
            number = number + step if step else self._signed()
            value = self._value(kind)
            if value is not None:
                found[number] = value
        return found

    def _value(self, kind: int) -> int | None:
        if kind in _INTEGERS:
            return self._signed()
        if kind == _BINARY:
            length = self._unsigned()
            self.at += length
        elif kind == _STRUCT:
            self.struct()
        elif kind in _LISTS:
            size = self._byte()
            count = self._unsigned() if size >> 4 == _LONG_LIST else size >> 4
            for _ in range(count):
                self._value(size & 0x0F)
        elif kind not in _TRUE_AND_FALSE:
            self.at += _BYTES[kind]
        return None

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)


_TRUE_AND_FALSE = (1, 2)
_INTEGERS = (4, 5, 6)
_BINARY = 8
_LISTS = (9, 10)
_STRUCT = 12
_BYTES = {3: 1, 7: 8}
_LONG_LIST = 15
