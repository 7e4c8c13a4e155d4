"""Translation of operating system errors to storage errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hoodoo.errors import StorageError
from hoodoo.storage.base import AlreadyExists, Missing

__all__ = ["translate_os_errors"]


@contextmanager
def translate_os_errors(operation: str, path: str, full: str | None = None) -> Iterator[None]:
    """Turn an `OSError` into a `StorageError` with operation, path, reason and `errno`.

    The error is `AlreadyExists` or `Missing` if the reason is that a file exists or does not exist.

    Args:
        operation: The name of the operation, for the message.
        path: The file's path for the message, usually relative to the table.
        full: The file's path in the file system, if known.
    """
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        # not by a local variable: the frame would refer to the error and the error to the frame, and all objects of the
        # frames below would remain until a garbage collection
        raise _translated(error, operation, path, full) from error


def _translated(error: OSError, operation: str, path: str, full: str | None) -> StorageError:
    kind = StorageError
    if isinstance(error, FileExistsError):
        kind = AlreadyExists
    elif isinstance(error, FileNotFoundError):
        kind = Missing
    reason = error.strerror or str(error)
    translated = kind(f"{operation} '{path}': {reason}" + (f" ({full})" if full else ""))
    translated.errno = error.errno
    return translated
