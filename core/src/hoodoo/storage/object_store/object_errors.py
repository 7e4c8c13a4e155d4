"""Failures of an object store in our words. What the store says is not passed on: it may hold parts of the request."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager

from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)

from hoodoo.errors import StorageError
from hoodoo.storage.base import AlreadyExists, Missing

__all__ = ["Changed", "named"]

_STATUS = re.compile(r"status code: (\d{3} [A-Za-z -]{1,40})")
_DENIED = re.compile(r"status code: 40[13]\b")
_CODE = re.compile(r"<Code>([A-Za-z0-9]{1,60})</Code>")
_KIND = re.compile(r"\bkind: (Connect|Timeout|Request|Interrupted|Decode|Unknown)\b")
_RETRIES = re.compile(r"after (\d+) retries")
_MISSING_BUCKET = re.compile("NoSuchBucket|ContainerNotFound")


class Changed(StorageError):
    """A conditional write found another version than the one that it was to take the place of."""

    code = "changed"


@contextmanager
def named(operation: str, path: str, url: str) -> Iterator[None]:
    """Turn what obstore raises into a `StorageError` that names operation, path and object.

    Args:
        operation: What was tried.
        path: Table-relative path.
        url: The object, bucket and key.
    """
    try:
        yield
    except StorageError:
        raise
    except (BaseError, OSError, ValueError) as error:
        # the cause is left out: its text holds requests and answers
        raise _translated(error, f"{operation} '{path}'", url) from None


def _translated(error: Exception, what: str, url: str) -> StorageError:
    text = str(error)
    if _MISSING_BUCKET.search(text):
        return StorageError(f"{what}: there is no such bucket ({url}); create it, or check the location")
    if isinstance(error, FileNotFoundError):
        translated: StorageError = Missing(f"{what}: no such object ({url})")
        translated.errno = errno.ENOENT
        return translated
    if isinstance(error, AlreadyExistsError):
        translated = AlreadyExists(f"{what}: there is such an object ({url})")
        translated.errno = errno.EEXIST
        return translated
    if isinstance(error, PreconditionError):
        return Changed(f"{what}: it was changed meanwhile ({url})")
    if isinstance(error, (PermissionDeniedError, UnauthenticatedError)) or _DENIED.search(text):
        translated = StorageError(f"{what}: permission denied, {_reason(text)} ({url}); check the credentials")
        translated.errno = errno.EACCES
        return translated
    translated = StorageError(f"{what}: {_reason(text)} ({url})")
    # readers tell a store that failed from damaged bytes by it
    translated.errno = errno.EIO
    return translated


def _reason(text: str) -> str:
    """Status, code and number of retries, as far as they can be told; nothing else of the store's own words."""
    status, code, kind, retries = (p.search(text) for p in (_STATUS, _CODE, _KIND, _RETRIES))
    if status:
        reason = f"the store answered {status[1].strip()}" + (f" ({code[1]})" if code else "")
    elif kind:
        reason = {"Connect": "no connection to the store", "Timeout": "the store did not answer in time"}.get(
            kind[1], "the answer of the store broke off"
        )
    else:
        reason = "the store failed"
    return reason + (f" after {retries[1]} retries" if retries else "")
