"""Reading Parquet, from a base file or from a log file, as Arrow tables in the reader's schema, in batches."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from hoodoo.errors import CorruptTableError
from hoodoo.format.corruption import open_data_file, translate_read_errors
from hoodoo.format.parquet.chunk_check import check_chunks, chunk_ranges
from hoodoo.format.parquet.dictionary_columns import with_dictionaries
from hoodoo.format.parquet.footer_check import footer_contradiction
from hoodoo.format.parquet.projection import check_columns_stored, null_table, project
from hoodoo.schema.meta_columns import COMMIT_TIME, RECORD_KEY
from hoodoo.storage import PrefetchingFile, Storage

__all__ = [
    "DEFAULT_BATCH_ROWS",
    "open_base_file",
    "open_parquet",
    "read_encoded",
    "read_open_file",
    "read_parquet",
]

DEFAULT_BATCH_ROWS = 128 * 1024

# pyarrow allocates some 700 bytes for each item of a list in the footer before it reads the first item
_BYTES_OF_ITEM = 4
_FEWEST_ITEMS = 1000


def read_encoded(storage: Storage, path: str, schema: pa.Schema, *, batch_rows: int) -> Iterator[pa.Table]:
    """Read a Parquet file as `hoodoo.format.read_base_file` does, with text columns of few values as dictionaries.

    A write then neither decodes such a column nor encodes it again.
    """
    what = f"base file '{path}'"
    with translate_read_errors(what, path), open_data_file(storage, path, what) as source:
        file = open_parquet(source, schema)
        encoded = with_dictionaries(file, schema)
        if encoded != schema:
            file = open_parquet(source, encoded)
        yield from read_open_file(file, path, encoded, batch_rows=batch_rows)


def read_open_file(
    file: pq.ParquetFile, path: str, schema: pa.Schema, *, batch_rows: int = DEFAULT_BATCH_ROWS
) -> Iterator[pa.Table]:
    """Read a base file that `open_parquet` opened with this schema; see `hoodoo.format.read_base_file`."""
    what = f"base file '{path}'"
    damage = footer_contradiction(file, schema)
    if damage is not None:
        raise CorruptTableError(f"{what} is damaged: by the schema in its footer, {damage}; restore it", file=path)
    check_columns_stored(frozenset(file.schema_arrow.names), file.metadata.num_rows, schema, what)
    yield from read_parquet(file, schema, what, batch_rows)


@contextmanager
def open_base_file(
    storage: Storage, path: str, schema: pa.Schema | Callable[[pa.Schema], Collection[str]] | None = None
) -> Iterator[pq.ParquetFile]:
    """Open a Parquet base file for the columns of a schema; without a schema, for its footer alone.

    A function returns the columns to read from the schema of the file.

    `translate_read_errors` translates the errors that the `with` block raises.
    """
    what = f"base file '{path}'"
    with translate_read_errors(what, path), open_data_file(storage, path, what) as source:
        yield open_parquet(source, schema)


def open_parquet(
    source: pa.NativeFile | io.RawIOBase, schema: pa.Schema | Callable[[pa.Schema], Collection[str]] | None = None
) -> pq.ParquetFile:
    """Open Parquet for `read_parquet` and check its footer; the caller closes the source.

    All Parquet is opened with this function, so that none is read unchecked.

    Args:
        source: The bytes of the file.
        schema: The columns to read, or a function that returns their names from the schema of the file; None for the
            footer alone. `RowGroupMetaData.column` may be called for these columns only: see
            `hoodoo.format.parquet.chunk_metadata`.

    Raises:
        pyarrow.ArrowException: The footer or a page header is corrupt, or `check_chunks` rejects the file.
        OSError: The footer is corrupt, or the store failed.
    """
    given = None if callable(schema) else schema
    dictionaries = [field.name for field in given or () if pa.types.is_dictionary(field.type)]
    most = max(_FEWEST_ITEMS, _footer_bytes(source) // _BYTES_OF_ITEM)
    try:
        file = _opened(source, dictionaries, most)
    except KeyError:
        # pyarrow rejects dictionary columns that the file lacks
        leaves = frozenset(_opened(source, (), most).schema.names)
        file = _opened(source, [name for name in dictionaries if name in leaves], most)
    names: Collection[str] = schema(file.schema_arrow) if callable(schema) else () if given is None else given.names
    # `read_parquet` may compare the two
    check_chunks(file, source, [*names, COMMIT_TIME] if RECORD_KEY in names else names)
    if isinstance(source, PrefetchingFile):
        source.expect(chunk_ranges(file, names))
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
    """Return the length of the footer according to the file, at most the file's size; 0 without a footer."""
    size = source.seek(0, io.SEEK_END)
    source.seek(max(0, size - 8))
    return min(int.from_bytes((source.read(4) or b"")[:4], "little"), size)


def read_parquet(file: pq.ParquetFile, schema: pa.Schema, what: str, batch_rows: int) -> Iterator[pa.Table]:
    """Yield tables of exactly the schema from an open file.

    Args:
        file: A file from `open_parquet`.
        schema: The columns to read.
        what: Description of the file for messages.
        batch_rows: Maximum number of rows in a table.

    Raises:
        pyarrow.ArrowException: The file is corrupt.
        OSError: The file is corrupt, or the store failed.
        SchemaError: A column cannot be cast.
    """
    names = frozenset(file.schema_arrow.names)
    present = [name for name in schema.names if name in names]
    if not present:
        for start in range(0, file.metadata.num_rows, batch_rows):
            yield null_table(schema, min(batch_rows, file.metadata.num_rows - start))
        return
    rows = null_keys = 0
    for batch in file.iter_batches(batch_size=batch_rows, columns=present, use_threads=False):
        rows += batch.num_rows
        if RECORD_KEY in present:
            null_keys += batch.column(RECORD_KEY).null_count
        if batch.num_rows:
            yield project(batch, schema, what)
        del batch  # frees the memory before the next batch is decoded
    if rows != file.metadata.num_rows:
        raise pa.ArrowInvalid(
            f"it does not have the number of rows in its footer: {rows} instead of {file.metadata.num_rows}"
        )
    if null_keys and (null_keys < rows or _has_commit_times(file)):
        # a corrupt page header, which has no checksum, can turn values into null; some tables have no meta columns
        raise pa.ArrowInvalid(f"rows without a record key: {null_keys} of {rows}")


def _has_commit_times(file: pq.ParquetFile) -> bool:
    """Return whether a row has a commit time: a table that leaves its meta columns empty has none."""
    if COMMIT_TIME not in file.schema_arrow.names:
        return False
    batches = file.iter_batches(columns=[COMMIT_TIME], use_threads=False)
    return any(batch.num_rows > batch.column(0).null_count for batch in batches)
