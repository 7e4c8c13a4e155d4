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

    In Parquet, timestamps of 96 bits are instants, as in Spark.

    Args:
        source: The folder of the files.
        path: Relative path of the file.
        form: `parquet` or `orc`.

    Raises:
        CorruptTableError: The file is damaged, or has another format.
        UnsupportedTable: The file needs a feature that pyarrow lacks.
    """
    with _opened(source, path, form) as opened:
        if isinstance(opened, orc.ORCFile):
            return opened.schema.remove_metadata()
        return _with_instants(opened)


def file_rows(source: Storage, path: str, form: str, columns: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of a file in exactly these columns; a column that the file lacks is null.

    Raises:
        CorruptTableError: The file is damaged or missing.
        SchemaError: A column does not have the type.
    """
    what = _what(source, path)
    with _opened(source, path, form, columns) as opened:
        if not isinstance(opened, orc.ORCFile):
            yield from read_parquet(opened, columns, what, DEFAULT_BATCH_ROWS)
            return
        present = [name for name in columns.names if name in opened.schema.names]
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


def _with_instants(file: pq.ParquetFile) -> pa.Schema:
    """Return the columns of a Parquet file, with zone UTC for timestamps of 96 bits, which have none in the file."""
    leaves = (file.schema.column(number) for number in range(len(file.schema)))
    found = {leaf.path.partition(".")[0] for leaf in leaves if leaf.physical_type == "INT96"}
    columns = file.schema_arrow.remove_metadata()
    return pa.schema([c.with_type(_in_utc(c.type)) if c.name in found else c for c in columns])


def _in_utc(kind: pa.DataType) -> pa.DataType:
    if kind == pa.timestamp("us"):
        return _UTC
    if pa.types.is_struct(kind):
        return pa.struct([kind.field(n).with_type(_in_utc(kind.field(n).type)) for n in range(kind.num_fields)])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_in_utc(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(kind.key_field, kind.item_field.with_type(_in_utc(kind.item_type)))
    return kind
