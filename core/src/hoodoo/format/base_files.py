"""Base files of each format that hoodoo reads: rows, columns and number of rows."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from hoodoo.format.file_names import is_lance
from hoodoo.format.lance_file import lance_row_count, lance_schema, read_lance
from hoodoo.format.parquet.footer_check import footer_contradiction
from hoodoo.format.parquet.parquet_reader import DEFAULT_BATCH_ROWS, open_base_file, read_open_file
from hoodoo.storage import Storage

__all__ = ["read_base_file", "stored_rows", "stored_schema"]


def read_base_file(
    storage: Storage, path: str, schema: pa.Schema, *, batch_rows: int = DEFAULT_BATCH_ROWS
) -> Iterator[pa.Table]:
    """Read a base file in the order of its rows; a Parquet file is read in one thread.

    Args:
        storage: The table's files.
        path: Table-relative path of the file.
        schema: The columns to read, by name. A column that the file lacks is null; a narrower type is cast; timestamps
            are converted to the unit and zone of the schema. A column with a dictionary type is read as a dictionary,
            from Parquet without decoding it.
        batch_rows: Maximum number of rows in a table.

    Yields:
        Non-empty tables of exactly the schema.

    Raises:
        CorruptTableError: The file is corrupt or missing.
        SchemaError: A column cannot be cast, or the file lacks one that must not be null.
        UnsupportedTable: The file needs a feature or a package that is missing.
    """
    if is_lance(path):
        yield from read_lance(storage, path, schema, batch_rows)
        return
    with open_base_file(storage, path, schema) as file:
        yield from read_open_file(file, path, schema, batch_rows=batch_rows)


def stored_rows(storage: Storage, path: str) -> int:
    """Return the number of rows of a base file, from its footer.

    Raises:
        CorruptTableError: The file is corrupt or missing.
        UnsupportedTable: The file needs a feature or a package that is missing.
    """
    if is_lance(path):
        return lance_row_count(storage, path)
    with open_base_file(storage, path) as file:
        rows: int = file.metadata.num_rows
        return rows


def stored_schema(storage: Storage, path: str) -> pa.Schema | None:
    """Return the columns of a base file, from its footer; None if a Parquet footer contradicts itself.

    Reading the rows of such a file raises a `CorruptTableError`.

    Raises:
        CorruptTableError: The file is corrupt or missing.
        UnsupportedTable: The file needs a feature or a package that is missing.
    """
    if is_lance(path):
        return lance_schema(storage, path)
    with open_base_file(storage, path) as file:
        return None if footer_contradiction(file) else file.schema_arrow
