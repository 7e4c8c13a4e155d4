"""Base files as Arrow tables in the schema that the reader wants, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hoodoo.errors import CorruptTableError, SchemaError, StorageError, UnsupportedTable
from hoodoo.storage import Missing, Storage

__all__ = ["read_base_file"]

DEFAULT_BATCH_ROWS = 128 * 1024


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
    file = _open(storage, path, schema)
    with file, _damage_named(path):
        present = [name for name in schema.names if name in file.schema_arrow.names]
        missing = [field.name for field in schema if field.name not in present and not field.nullable]
        if missing and file.metadata.num_rows:
            raise SchemaError(
                f"base file '{path}' has no column '{missing[0]}', which must not be null; make the column nullable",
                code="schema_fit",
            )
        if not present:
            for start in range(0, file.metadata.num_rows, batch_rows):
                yield _nulls(schema, min(batch_rows, file.metadata.num_rows - start))
            return
        for batch in file.iter_batches(batch_size=batch_rows, columns=present, use_threads=False):
            if batch.num_rows:
                yield _fitted(batch, schema, path)
            del batch  # the next one is decoded before the name would be bound anew


def _open(storage: Storage, path: str, schema: pa.Schema) -> pq.ParquetFile:
    dictionaries = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    try:
        source = storage.open_input(path)
    except Missing as error:
        raise CorruptTableError(
            f"base file '{path}' is gone; if a cleaner removed it meanwhile, read the table anew", file=path
        ) from error
    with _damage_named(path):
        try:
            return pq.ParquetFile(
                source,
                read_dictionary=dictionaries,
                coerce_int96_timestamp_unit="us",
                pre_buffer=False,
                page_checksum_verification=True,
            )
        except BaseException:
            source.close()
            raise


def _fitted(batch: pa.RecordBatch, schema: pa.Schema, path: str) -> pa.Table:
    columns = []
    for field in schema:
        index = batch.schema.get_field_index(field.name)
        if index < 0:
            columns.append(pa.nulls(batch.num_rows, field.type))
            continue
        column = batch.column(index)
        if column.type != field.type:
            try:
                column = _cast(column, field.type)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise SchemaError(
                    f"column '{field.name}' of base file '{path}' has type {column.type}, "
                    f"which does not fit {field.type}: {error}",
                    code="schema_fit",
                ) from error
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def _cast(column: pa.Array, type_: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(type_):
        if not pa.types.is_dictionary(column.type):
            column = pc.dictionary_encode(pc.cast(column, type_.value_type))
        return pc.cast(column, type_)
    # Avro lets integers become floats, at the cost of digits beyond the float's own
    rounding = pa.types.is_integer(column.type) and pa.types.is_floating(type_)
    return pc.cast(column, type_, safe=not rounding)


def _nulls(schema: pa.Schema, rows: int) -> pa.Table:
    return pa.Table.from_arrays([pa.nulls(rows, field.type) for field in schema], schema=schema)


@contextmanager
def _damage_named(path: str) -> Iterator[None]:
    """Turn what pyarrow raises on a damaged file into a `CorruptTableError` that names it."""
    try:
        yield
    except (StorageError, SchemaError):
        raise
    except pa.ArrowNotImplementedError as error:
        raise UnsupportedTable(f"base file '{path}' cannot be read: {error}", code="base_file") from error
    except pa.ArrowInvalid as error:
        raise CorruptTableError(f"base file '{path}' is damaged: {error}", file=path) from error
    except OSError as error:
        # pyarrow raises OSError for damaged pages as well; only failures of the store carry an errno
        if error.errno is not None:
            raise StorageError(f"read '{path}': {error}") from error
        raise CorruptTableError(f"base file '{path}' is damaged: {error}", file=path) from error
