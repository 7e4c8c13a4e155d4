"""Reading base files in Lance format with the package `lance` (distribution `pylance`), the format's own library.

Hudi 1.2 writes such files in tables of version 9. The footer of a file has the same entries as that of Parquet: the
bloom filter of the keys and the range of the keys.
"""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.errors import StorageError, UnsupportedTable
from hoodoo.format.corruption import open_data_file, translate_read_errors
from hoodoo.format.parquet.projection import check_columns_stored, null_table, project
from hoodoo.storage import Storage

if TYPE_CHECKING:
    from lance.file import LanceFileReader

__all__ = ["lance_row_count", "lance_schema", "read_lance"]

_MAGIC = b"LANC"
_SMALLEST_FOOTER = 40
_BATCHES_AHEAD = 2
_COPIED_BYTES = 8 << 20
_BLOB = b"lance-encoding:blob"
_PLACE_IN_SOURCE = re.compile(r",? /\S+\.rs:\d+:\d+")
"""Place in the source code of the library, at the end of its messages."""


def read_lance(storage: Storage, path: str, schema: pa.Schema, batch_rows: int) -> Iterator[pa.Table]:
    """Read a base file in Lance format; see `hoodoo.format.read_base_file`.

    Only the wanted columns are decoded. A file in a remote store is copied to a temporary file first.

    Raises:
        CorruptTableError: The file is corrupt or missing.
        SchemaError: A column cannot be cast, or the file lacks one that must not be null.
        UnsupportedTable: The package `lance` is not installed, or a column has an unsupported encoding.
    """
    what = _what(path)
    with _local_copy(storage, path) as file:
        whole = _open(file)
        stored, rows = whole.metadata().schema, whole.num_rows()
        names = frozenset(stored.names)
        check_columns_stored(names, rows, schema, what)
        present = [name for name in schema.names if name in names]
        _check_encodings([stored.field(name) for name in present], what)
        if not present:
            for start in range(0, rows, batch_rows):
                yield null_table(schema, min(batch_rows, rows - start))
            return
        found = 0
        batches = _open(file, present).read_all(batch_size=batch_rows, batch_readahead=_BATCHES_AHEAD).to_batches()
        for batch in batches:
            found += batch.num_rows
            if batch.num_rows:
                yield project(batch, schema, what)
        if found != rows:
            raise pa.ArrowInvalid(f"it does not have the number of rows in its footer: {found} instead of {rows}")


def lance_schema(storage: Storage, path: str) -> pa.Schema:
    """Return the columns of a base file in Lance format; errors about the file and the package as in `read_lance`."""
    with _local_copy(storage, path) as file:
        schema: pa.Schema = _open(file).metadata().schema
        return schema


def lance_row_count(storage: Storage, path: str) -> int:
    """Return the number of rows of a base file in Lance format; errors as in `lance_schema`."""
    with _local_copy(storage, path) as file:
        return int(_open(file).num_rows())


def _what(path: str) -> str:
    return f"base file '{path}'"


def _open(file: str, columns: Sequence[str] | None = None) -> LanceFileReader:
    from lance.file import LanceFileReader

    return LanceFileReader(file, columns=None if columns is None else list(columns))


@contextmanager
def _local_copy(storage: Storage, path: str) -> Iterator[str]:
    """Yield the local path of a file, or of a copy if the store has no local paths.

    Errors that the `with` block raises are translated.
    """
    what = _what(path)
    _check_installed(what)
    with translate_read_errors(what, path), open_data_file(storage, path, what) as source:
        _check_end(source)
        with _errors_of_lance():
            try:
                local = storage.local_path(path)
            except StorageError:
                source.seek(0)
                with tempfile.NamedTemporaryFile(prefix="hoodoo-", suffix=".lance") as copy:
                    shutil.copyfileobj(source, copy, _COPIED_BYTES)
                    copy.flush()
                    yield copy.name
            else:
                yield local


def _check_installed(what: str) -> None:
    try:
        import lance.file  # noqa: F401
    except ImportError as error:
        raise UnsupportedTable(
            f"{what} is in Lance format, and the package that reads it cannot be imported ({error}); install it on the "
            'driver and the workers with pip install "hoodoo-core[lance]"',
            code="base_file_format",
        ) from error


def _check_end(source: pa.NativeFile | io.RawIOBase) -> None:
    """Raise if a file does not have the end of a Lance file: the library panics on some short files."""
    size = source.seek(0, io.SEEK_END)
    source.seek(max(0, size - len(_MAGIC)))
    if size < _SMALLEST_FOOTER or source.read(len(_MAGIC)) != _MAGIC:
        raise pa.ArrowInvalid(f"it does not end with the footer of a Lance file, at byte {size}")


@contextmanager
def _errors_of_lance() -> Iterator[None]:
    """Turn errors of the library about invalid bytes into errors of pyarrow, without places in its source code."""
    try:
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, (pa.ArrowException, StorageError)) or getattr(error, "errno", None) is not None:
            raise
        raise pa.ArrowInvalid(_PLACE_IN_SOURCE.sub("", str(error))) from error
    except BaseException as error:
        # panics of Rust have no importable class
        if type(error).__name__ != "PanicException":
            raise
        raise pa.ArrowInvalid(f"the package lance cannot decode it: {error}") from error


def _check_encodings(fields: Iterable[pa.Field], what: str) -> None:
    for field in fields:
        if _has_blob(field):
            raise UnsupportedTable(
                f"column '{field.name}' of {what} is stored as a Lance blob, which hoodoo does not read; read the "
                "other columns, or read the table with Hudi",
                code="data_file",
            )


def _has_blob(field: pa.Field) -> bool:
    if _BLOB in (field.metadata or {}):
        return True
    type_ = field.type
    return any(_has_blob(type_.field(number)) for number in range(type_.num_fields))
