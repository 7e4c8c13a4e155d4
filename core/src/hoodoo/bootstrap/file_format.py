"""Columns and rows of single Parquet and ORC files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from hoodoo.format.corruption import open_data_file, translate_read_errors
from hoodoo.format.parquet.parquet_reader import DEFAULT_BATCH_ROWS, open_parquet, read_parquet
from hoodoo.format.parquet.projection import project
from hoodoo.storage import Storage

__all__ = ["file_columns", "file_rows"]

_UTC = pa.timestamp("us", "UTC")


def file_columns(source: Storage, path: str, form: str) -> pa.Schema:
    """Return the columns of a file.

    In a Parquet file, timestamps of 96 bits become timestamps in UTC, as in Spark. Dictionaries and Arrow's large and
    view types become plain types, because the file does not distinguish them. Columns of an ORC file are unchanged.

    Args:
        source: The folder of the files.
        path: Relative path of the file.
        form: `parquet` or `orc`.

    Raises:
        CorruptTableError: The file is damaged or missing, or has another format.
        UnsupportedTable: The file needs a feature that pyarrow lacks.
    """
    with _opened(source, path, form) as opened:
        if isinstance(opened, orc.ORCFile):
            return opened.schema.remove_metadata()
        return _parquet_columns(opened)


def file_rows(source: Storage, path: str, form: str, columns: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of a file in exactly these columns; a column that the file lacks is null.

    Raises:
        CorruptTableError: The file is damaged or missing.
        SchemaError: A column of the file cannot be cast to its type in `columns`.
        UnsupportedTable: The file needs a feature that pyarrow lacks.
    """
    what = _what(source, path)
    with _opened(source, path, form, columns) as opened:
        if not isinstance(opened, orc.ORCFile):
            yield from read_parquet(opened, columns, what, DEFAULT_BATCH_ROWS)
            return
        stored = frozenset(opened.schema.names)
        present = [name for name in columns.names if name in stored]
        for stripe in range(opened.nstripes):
            rows = opened.read_stripe(stripe, present)
            if rows.num_rows:
                yield project(rows, columns, what)


def _what(source: Storage, path: str) -> str:
    return f"file '{path}' in {source.uri}"


@contextmanager
def _opened(
    source: Storage, path: str, form: str, columns: pa.Schema | None = None
) -> Iterator[pq.ParquetFile | orc.ORCFile]:
    what = _what(source, path)
    with translate_read_errors(what, path), open_data_file(source, path, what) as stream:
        yield open_parquet(stream, columns) if form == "parquet" else orc.ORCFile(stream)


def _parquet_columns(file: pq.ParquetFile) -> pa.Schema:
    """Return the columns of a Parquet file, with zone UTC for timestamps of 96 bits, which have none in the file."""
    leaves = (file.schema.column(number) for number in range(len(file.schema)))
    instants = {leaf.path.partition(".")[0] for leaf in leaves if leaf.physical_type == "INT96"}
    return pa.schema([c.with_type(_plain(c.type, c.name in instants)) for c in file.schema_arrow.remove_metadata()])


def _plain(kind: pa.DataType, in_utc: bool) -> pa.DataType:
    """Return a type without dictionaries and large types, which Arrow restores from the metadata of the writer.

    With `in_utc`, timestamps in microseconds without a zone get the zone UTC.
    """
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type, in_utc)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.binary()
    if in_utc and kind == pa.timestamp("us"):
        return _UTC
    if pa.types.is_struct(kind):
        return pa.struct([_plain_field(kind.field(number), in_utc) for number in range(kind.num_fields)])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_plain_field(kind.value_field, in_utc))
    if pa.types.is_map(kind):
        return pa.map_(_plain(kind.key_type, in_utc), _plain_field(kind.item_field, in_utc))
    return kind


def _plain_field(field: pa.Field, in_utc: bool) -> pa.Field:
    return field.with_type(_plain(field.type, in_utc))
