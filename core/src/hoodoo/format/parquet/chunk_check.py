"""Ranges of Parquet column chunks, and checks that counts match the row group and page sizes are plausible.

pyarrow decompresses a whole page before it returns rows, so an implausible page size must be detected first.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from hoodoo.format.parquet.chunk_metadata import decode_chunk_metadata

__all__ = ["check_chunks", "chunk_ranges"]

_MOST_EXPANSION = 200
_ALWAYS_ALLOWED = 64 << 20
"""Size of a page in bytes that is always accepted. Usual pages have one megabyte; a single value may be longer."""

_HEADERS = 64 << 10, 16 << 20
"""Numbers of bytes to read for a page header, tried in this order; pyarrow rejects headers longer than the last."""

_UNCOMPRESSED, _COMPRESSED = 2, 3


def check_chunks(file: pq.ParquetFile, source: pa.NativeFile | io.RawIOBase, columns: Collection[str]) -> None:
    """Check the row and value counts of a file, and the pages of chunks with a suspicious compression ratio.

    Args:
        file: An open file.
        source: The bytes of the file.
        columns: The columns that will be read.

    Raises:
        pyarrow.ArrowInvalid: A row group has a wrong number of chunks or of rows, a chunk does not have a value for
            each row, or a page has an invalid header or an implausible compression ratio.
        pyarrow.ArrowException: pyarrow rejects the metadata of a chunk.
        OSError: pyarrow raises it as well for such metadata.
    """
    groups = list(map(file.metadata.row_group, range(file.metadata.num_row_groups)))
    _check_counts(file, groups)
    wanted = _leaves_of(file, frozenset(columns))
    decode_chunk_metadata(file, source.seek(0, io.SEEK_END), list(wanted))
    for group in groups:
        for number, is_flat in wanted.items():
            chunk = group.column(number)
            if chunk.num_values != group.num_rows if is_flat else chunk.num_values < group.num_rows:
                raise pa.ArrowInvalid(
                    f"the number of values of column '{chunk.path_in_schema}' is {chunk.num_values}, but the number of "
                    f"rows is {group.num_rows}"
                )
            if _is_implausible(chunk.total_uncompressed_size, chunk.total_compressed_size):
                _check_pages(chunk, source)


def chunk_ranges(file: pq.ParquetFile, columns: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield the begin and end offsets of the column chunks of the given columns, which `check_chunks` has checked."""
    leaves = _leaves_of(file, frozenset(columns))
    for group in map(file.metadata.row_group, range(file.metadata.num_row_groups)):
        for chunk in map(group.column, leaves):
            start = _start_of(chunk)
            yield start, start + chunk.total_compressed_size


def _start_of(chunk: pq.ColumnChunkMetaData) -> int:
    start: int = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < start:
        start = chunk.dictionary_page_offset
    return start


def _check_counts(file: pq.ParquetFile, groups: Iterable[pq.RowGroupMetaData]) -> None:
    rows = 0
    for group in groups:
        if group.num_columns != len(file.schema):
            raise pa.ArrowInvalid(
                f"the number of column chunks of a row group is {group.num_columns}, not {len(file.schema)}"
            )
        if group.num_rows < 0:
            raise pa.ArrowInvalid(f"the number of rows of a row group is {group.num_rows}")
        rows += group.num_rows
    if rows != file.metadata.num_rows:
        raise pa.ArrowInvalid(
            f"its row groups do not have the number of rows in the footer: {rows} instead of {file.metadata.num_rows}"
        )


def _leaves_of(file: pq.ParquetFile, columns: Collection[str]) -> dict[int, bool]:
    """Return, by the number of each leaf of the columns, whether it has exactly one value per row."""
    if not columns:
        return {}
    numbers = [number for number, path in enumerate(file.reader.column_paths) if _is_of(path, columns)]
    return {number: file.schema.column(number).max_repetition_level == 0 for number in numbers}


def _is_of(path: Sequence[str], columns: Collection[str]) -> bool:
    """Return whether a path is in one of the columns; pyarrow also accepts the dotted path of a nested leaf."""
    if path[0] in columns or len(path) == 1:
        return path[0] in columns
    return any(".".join(path[:length]) in columns for length in range(2, len(path) + 1))


def _is_implausible(uncompressed: int, compressed: int) -> bool:
    return uncompressed > max(_ALWAYS_ALLOWED, _MOST_EXPANSION * compressed)


def _check_pages(chunk: pq.ColumnChunkMetaData, source: pa.NativeFile | io.RawIOBase) -> None:
    at = _start_of(chunk)
    end = at + chunk.total_compressed_size
    while at < end:
        sizes, length = _page_header(source, at, end)
        uncompressed, compressed = sizes.get(_UNCOMPRESSED, 0), sizes.get(_COMPRESSED, 0)
        if _is_implausible(uncompressed, compressed):
            raise pa.ArrowInvalid(
                f"the page at byte {at} of column '{chunk.path_in_schema}' would expand from {compressed} to "
                f"{uncompressed} bytes, which is implausible"
            )
        at += length + max(compressed, 0)


def _page_header(source: pa.NativeFile | io.RawIOBase, at: int, end: int) -> tuple[dict[int, int], int]:
    """Return the integers of the page header at an offset, by field number, and the length of the header."""
    for most in _HEADERS:
        source.seek(at)
        compact = _Compact(source.read(min(most, end - at)) or b"")
        try:
            return compact.struct(), compact.at
        except (LookupError, RecursionError) as error:
            if most == _HEADERS[-1] or most >= end - at:
                raise pa.ArrowInvalid(f"no page header at byte {at}") from error
    raise AssertionError("the last size returns or raises")


class _Compact:
    """Decoder of integers in Thrift's compact protocol.

    Methods raise `LookupError` if the bytes end early or do not follow the protocol.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def struct(self) -> dict[int, int]:
        """Return the integers of a structure by field number; other fields are skipped."""
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
            self._items(count, size & 0x0F)
        elif kind == _MAP:
            if count := self._unsigned():
                kinds = self._byte()
                self._items(count, kinds >> 4, kinds & 0x0F)
        elif kind not in _BOOLEANS:
            self.at += _BYTES[kind]
        return None

    def _items(self, count: int, *kinds: int) -> None:
        for _ in range(count):
            for kind in kinds:
                if kind in _BOOLEANS:
                    # the kind of a field holds its value, but an item has one byte, so every list ends
                    self._byte()
                else:
                    self._value(kind)

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
            if shift > _MOST_BITS:
                raise LookupError("an integer does not end")

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)


_BOOLEANS = (1, 2)
_INTEGERS = (4, 5, 6)
_BINARY = 8
_LISTS = (9, 10)
_MAP = 11
_STRUCT = 12
_BYTES = {3: 1, 7: 8}
_LONG_LIST = 15
_MOST_BITS = 63
