"""Parquet, as a base file or inside a log file, as Arrow tables in the schema that the reader wants, batch by batch."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from hoodoo.errors import CorruptTableError, SchemaError
from hoodoo.format.corruption import damage_named, open_data_file
from hoodoo.format.parquet.chunk_check import check_chunks
from hoodoo.format.parquet.footer_check import contradicted
from hoodoo.format.parquet.projection import fitted, nulls
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage

__all__ = [
    "DEFAULT_BATCH_ROWS",
    "open_parquet",
    "opened_base_file",
    "read_base_file",
    "read_opened",
    "read_parquet",
    "stored_rows",
]

DEFAULT_BATCH_ROWS = 128 * 1024

# pyarrow takes some 700 bytes for each item that a list of the footer claims to have, before it looks for the first one
_BYTES_OF_ITEM = 4
_FEWEST_ITEMS = 1000


def read_base_file(
    storage: Storage, path: str, schema: pa.Schema, *, batch_rows: int = DEFAULT_BATCH_ROWS
) -> Iterator[pa.Table]:
    """Read a base file in the order of its rows, in one thread.

    Args:
        storage: The table's files.
        path: Table-relative path of the file.
        schema: The columns wanted, by name. A column that the file lacks is null; one of a narrower type is cast;
            timestamps come in the unit and zone that the schema says, whatever the file stores. A dictionary type
            makes the column come as a dictionary, without ever being decoded.
        batch_rows: At most so many rows in a table.

    Yields:
        Tables of exactly the schema, none of them empty.

    Raises:
        CorruptTableError: The file is damaged or gone.
        SchemaError: A column cannot be cast, or the file lacks one that must not be null.
    """
    with opened_base_file(storage, path, schema) as file:
        yield from read_opened(file, path, schema, batch_rows=batch_rows)


def read_opened(
    file: pq.ParquetFile, path: str, schema: pa.Schema, *, batch_rows: int = DEFAULT_BATCH_ROWS
) -> Iterator[pa.Table]:
    """Read what `opened_base_file` opened with this schema; see `read_base_file`."""
    what = f"base file '{path}'"
    damage = contradicted(file, schema)
    if damage is not None:
        raise CorruptTableError(f"{what} is damaged: by its own footer, {damage}", file=path)
    names = frozenset(file.schema_arrow.names)
    missing = [field.name for field in schema if field.name not in names and not field.nullable]
    if missing and file.metadata.num_rows:
        raise SchemaError(
            f"{what} has no column '{missing[0]}', which must not be null; make the column nullable",
            code="schema_fit",
        )
    yield from read_parquet(file, schema, what, batch_rows)


@contextmanager
def opened_base_file(storage: Storage, path: str, schema: pa.Schema | None = None) -> Iterator[pq.ParquetFile]:
    """Open a base file, with the schema that will be read; what pyarrow raises inside becomes `CorruptTableError`."""
    what = f"base file '{path}'"
    with damage_named(what, path), open_data_file(storage, path, what) as source:
        yield open_parquet(source, schema)


def stored_rows(storage: Storage, path: str) -> int:
    """How many rows a base file has, by its footer.

    Raises:
        CorruptTableError: The file is damaged or gone.
    """
    with opened_base_file(storage, path) as file:
        rows: int = file.metadata.num_rows
        return rows


def open_parquet(source: pa.NativeFile | io.RawIOBase, schema: pa.Schema | None = None) -> pq.ParquetFile:
    """Open Parquet for `read_parquet` and check its footer; the caller closes the source.

    All Parquet is opened here, so that none is read unchecked.

    Args:
        source: The bytes of the file.
        schema: The columns that will be read; None for the footer alone. `RowGroupMetaData.column` may be called for
            these columns only: see `hoodoo.format.parquet.chunk_metadata`.

    Raises:
        pyarrow.ArrowException: The footer is damaged.
        OSError: As above, or the store fails.
    """
    dictionaries = [field.name for field in schema or () if pa.types.is_dictionary(field.type)]
    most = max(_FEWEST_ITEMS, _footer_bytes(source) // _BYTES_OF_ITEM)
    try:
        file = _opened(source, dictionaries, most)
    except KeyError:
        # pyarrow takes no dictionary columns that the file lacks
        leaves = frozenset(_opened(source, (), most).schema.names)
        file = _opened(source, [name for name in dictionaries if name in leaves], most)
    check_chunks(file, source, () if schema is None else schema.names)
    return file


def _opened(source: pa.NativeFile | io.RawIOBase, dictionaries: Collection[str], most_items: int) -> pq.ParquetFile:
    return pq.ParquetFile(
        source,
        read_dictionary=dictionaries,
        coerce_int96_timestamp_unit="us",
        pre_buffer=False,
        page_checksum_verification=True,
        thrift_container_size_limit=most_items,
    )


def _footer_bytes(source: pa.NativeFile | io.RawIOBase) -> int:
    """Return how long a footer claims to be, which is no longer than the file; 0 where there is none."""
    size = source.seek(0, io.SEEK_END)
    source.seek(max(0, size - 8))
    return min(int.from_bytes((source.read(4) or b"")[:4], "little"), size)


def read_parquet(file: pq.ParquetFile, schema: pa.Schema, what: str, batch_rows: int) -> Iterator[pa.Table]:
    """Tables of exactly the schema from an open file; `what` names it in messages. Errors of pyarrow come as such."""
    names = frozenset(file.schema_arrow.names)
    present = [name for name in schema.names if name in names]
    if not present:
        for start in range(0, file.metadata.num_rows, batch_rows):
            yield nulls(schema, min(batch_rows, file.metadata.num_rows - start))
        return
    rows = null_keys = 0
    for batch in file.iter_batches(batch_size=batch_rows, columns=present, use_threads=False):
        rows += batch.num_rows
        if RECORD_KEY in present:
            null_keys += batch.column(RECORD_KEY).null_count
        if batch.num_rows:
            yield fitted(batch, schema, what)
        del batch  # the next one is decoded before the name would be bound anew
    if rows != file.metadata.num_rows:
        raise pa.ArrowInvalid(f"{rows} rows where {file.metadata.num_rows} are stated")
    if 0 < null_keys < rows:
        # a damaged header of a page, which has no checksum, can make values null; some tables have no keys at all
        raise pa.ArrowInvalid(f"{null_keys} of {rows} rows have no record key")
