"""Opening data files, and errors about corrupt content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from hoodoo.errors import CorruptTableError, SchemaError, StorageError, TableError, UnsupportedTable
from hoodoo.storage import Missing, Storage

__all__ = ["ENCRYPTED", "GONE", "open_data_file", "translate_read_errors"]

GONE = "gone"
"""Error code for a data file that does not exist."""

ENCRYPTED = "encrypted"
"""Error code for a data file that can only be read with encryption keys."""

_ENCRYPTED = re.compile(r"encrypted metadata|decrypt", re.IGNORECASE)
"""Text by which pyarrow's errors about Parquet's modular encryption are recognized; they have no class of their own."""


def open_data_file(storage: Storage, path: str, what: str) -> pa.NativeFile:
    """Open a data file of a commit for random reads.

    Args:
        storage: The table's files.
        path: Table-relative path.
        what: Description of the file for messages, with its path.

    Raises:
        CorruptTableError: The file does not exist; the code is `gone`.
    """
    try:
        return storage.open_input(path)
    except Missing as error:
        raise CorruptTableError(
            f"{what} is gone; restore it, or read the table again if a cleaner removed it", file=path, code=GONE
        ) from error


@contextmanager
def translate_read_errors(what: str, path: str, offset: int | None = None) -> Iterator[None]:
    """Turn errors of pyarrow about corrupt bytes into a `CorruptTableError` with description, file and offset.

    Args:
        what: Description of the file for messages, with its path.
        path: Table-relative path.
        offset: Position of the corrupt bytes in the file, if known.

    Raises:
        CorruptTableError: The bytes are corrupt.
        UnsupportedTable: The file needs an unsupported feature, or more memory than is available.
        StorageError: The store failed.
    """
    try:
        yield
    except (TableError, SchemaError):
        raise
    except (pa.ArrowException, OSError) as error:
        raise _translated(error, what, path, offset) from error
    except MemoryError as error:
        raise UnsupportedTable(
            f"{what} needs more memory than is available{f': {error}' if str(error) else ''}; restore it if it is "
            "damaged, or increase the memory",
            code="memory",
        ) from error
    except UnicodeDecodeError as error:
        raise _damaged(error, what, path, offset) from error


def _translated(error: Exception, what: str, path: str, offset: int | None) -> TableError | StorageError:
    if isinstance(error, (pa.ArrowNotImplementedError, pa.ArrowCapacityError)):
        return UnsupportedTable(f"{what} cannot be read: {error}; read the table with Hudi", code="data_file")
    # pyarrow raises OSError for corrupt pages as well; only failures of the store have an errno
    if isinstance(error, OSError) and error.errno is not None:
        return StorageError(f"read '{path}': {error.strerror or error}")
    if _ENCRYPTED.search(str(error)):
        return UnsupportedTable(
            f"{what} is encrypted by Parquet's modular encryption, which hoodoo does not support; read the table with "
            "Hudi or Spark and the keys, or rewrite its files without encryption",
            code=ENCRYPTED,
        )
    return _damaged(error, what, path, offset)


def _damaged(error: Exception, what: str, path: str, offset: int | None) -> CorruptTableError:
    return CorruptTableError(f"{what} is damaged: {error}; restore it", file=path, offset=offset)
