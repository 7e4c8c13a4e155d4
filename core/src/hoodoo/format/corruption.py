"""Opening a data file, and what is said where its bytes turn out to be damaged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from hoodoo.errors import CorruptTableError, SchemaError, StorageError, TableError, UnsupportedTable
from hoodoo.storage import Missing, Storage

__all__ = ["GONE", "damage_named", "open_data_file"]

GONE = "gone"
"""The code of the error about a data file that does not exist."""


def open_data_file(storage: Storage, path: str, what: str) -> pa.NativeFile:
    """Open a file that a commit names; `what` says what it is, with its path.

    Raises:
        CorruptTableError: It is gone; the code is `gone`.
    """
    try:
        return storage.open_input(path)
    except Missing as error:
        raise CorruptTableError(
            f"{what} is gone; restore it, or read the table again if a cleaner removed it", file=path, code=GONE
        ) from error


@contextmanager
def damage_named(what: str, path: str, offset: int | None = None) -> Iterator[None]:
    """Turn what pyarrow raises on damaged bytes into a `CorruptTableError` that names `what`, the file and the byte."""
    try:
        yield
    except (TableError, SchemaError):
        raise
    except (pa.ArrowNotImplementedError, pa.ArrowCapacityError) as error:
        raise UnsupportedTable(f"{what} cannot be read: {error}", code="data_file") from error
    except MemoryError as error:
        raise UnsupportedTable(
            f"{what} needs more memory than there is: {error}; its bytes may be damaged", code="memory"
        ) from error
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise CorruptTableError(f"{what} is damaged: {error}", file=path, offset=offset) from error
    except OSError as error:
        # pyarrow raises OSError for damaged pages as well; only failures of the store carry an errno
        if error.errno is not None:
            raise StorageError(f"read '{path}': {error}") from error
        raise CorruptTableError(f"{what} is damaged: {error}", file=path, offset=offset) from error
