"""Translation of errors of HDFS, without the stack trace of the NameNode."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from hoodoo.errors import StorageError
from hoodoo.storage.base import AlreadyExists, Missing

__all__ = ["translate_hdfs_errors"]

_UNREACHABLE = (
    "connection refused",
    "dns error",
    "failed to lookup",
    "no route",
    "timed out",
    "unreachable",
    "alignment",
)
_LONGEST_REASON = 300


@contextmanager
def translate_hdfs_errors(operation: str, path: str, url: str) -> Iterator[None]:
    """Turn an error of the client into a `StorageError` with operation, path, reason and `errno`.

    The error is `AlreadyExists` or `Missing` if the reason is that a file exists or does not exist.

    Args:
        operation: The name of the operation, for the message.
        path: Table-relative path of the file.
        url: The location of the file.
    """
    try:
        yield
    except StorageError:
        raise
    except (OSError, RuntimeError, ValueError, OverflowError) as error:
        raise _translated(error, f"{operation} '{path}'", url) from error


def _translated(error: Exception, what: str, url: str) -> StorageError:
    if isinstance(error, FileNotFoundError):
        return _with_errno(Missing(f"{what}: no such file ({url})"), errno.ENOENT)
    if isinstance(error, FileExistsError):
        return _with_errno(AlreadyExists(f"{what}: file exists ({url})"), errno.EEXIST)
    reason = str(error).replace("\\n", "\n").partition("\n\tat")[0].partition("\n\\tat")[0].strip()[:_LONGEST_REASON]
    if isinstance(error, PermissionError) or "AccessControlException" in reason:
        hint = "check HADOOP_USER_NAME or the Kerberos ticket, and the permissions of this user"
        return _with_errno(StorageError(f"{what}: permission denied: {reason} ({url}); {hint}"), errno.EACCES)
    if any(sign in reason.lower() for sign in _UNREACHABLE):
        hint = "check host and port of the NameNode, or HADOOP_CONF_DIR if the location names a cluster"
        return _with_errno(StorageError(f"{what}: no connection to HDFS: {reason} ({url}); {hint}"), errno.EIO)
    return _with_errno(StorageError(f"{what}: {reason} ({url})"), errno.EIO)


def _with_errno(error: StorageError, number: int) -> StorageError:
    error.errno = number
    return error
