"""Translation of operating system errors to storage errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hoodoo.errors import StorageError
from hoodoo.storage.base import AlreadyExists, Missing

__all__ = ["translate_os_errors"]


@contextmanager
def translate_os_errors(operation: str, path: str, full: str | None = None) -> Iterator[None]:
    """Turn an `OSError` into a `StorageError` with operation, path and reason.

    Args:
        operation: The operation.
        path: Table-relative path of the file.
        full: The file's path in the file system, if known.
    """
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        kind = StorageError
        if isinstance(error, FileExistsError):
            kind = AlreadyExists
        elif isinstance(error, FileNotFoundError):
            kind = Missing
        reason = error.strerror or str(error)
        translated = kind(f"{operation} '{path}': {reason}" + (f" ({full})" if full else ""))
        translated.errno = error.errno
        raise translated from error
