"""Opening data files, and errors about corrupt content."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from hoodoo.errors import CorruptTableError, SchemaError, StorageError, TableError, UnsupportedTable
from hoodoo.storage import Missing, Storage

__all__ = ["GONE", "open_data_file", "translate_read_errors"]

GONE = "gone"
"""Error code for a data file that does not exist."""


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
        offset: Position of the corrupt bytes, if known.

    Raises:
        CorruptTableError: The bytes are corrupt.
        UnsupportedTable: The file needs an unsupported feature, or more memory than is available.
        StorageError: The store failed.
    """
    try:
        yield
    except (TableError, SchemaError):
        raise
    except (pa.ArrowNotImplementedError, pa.ArrowCapacityError) as error:
        raise UnsupportedTable(f"{what} cannot be read: {error}", code="data_file") from error
    except MemoryError as error:
        raise UnsupportedTable(
            f"{what} needs more memory than is available: {error}; the file may be damaged", code="memory"
        ) from error
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise CorruptTableError(f"{what} is damaged: {error}; restore it", file=path, offset=offset) from error
    except OSError as error:
        # pyarrow raises OSError for corrupt pages as well; only failures of the store have an errno
        if error.errno is not None:
            raise StorageError(f"read '{path}': {error}") from error
        raise CorruptTableError(f"{what} is damaged: {error}; restore it", file=path, offset=offset) from error
