"""Translation of object store errors, without the store's own text, which may contain parts of the request.

Only names and numbers, such as the status, the error code and the number of retries, are taken from the text.
"""

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

from hoodoo.errors import HoodooError, StorageError
from hoodoo.storage.base import AlreadyExists, Missing
from hoodoo.storage.object_store.write_pace import Throttled

__all__ = ["VersionChanged", "translate_errors"]

_STATUS = re.compile(r"status code: (\d{3} [A-Za-z -]{1,40})")
_DENIED = re.compile(r"status code: 40[13]\b")
_THROTTLED = re.compile(r"status code: 429\b")
_CODE = re.compile(r"<Code>([A-Za-z0-9]{1,60})</Code>")
_KIND = re.compile(r"\bkind: (Connect|Timeout|Request|Interrupted|Decode|Unknown)\b")
_RETRIES = re.compile(r"after (\d+) retries")
_ROLE = re.compile(r"External AWS credential provider: (\w+)(?:: An error occurred \((\w+)\))?")
_TOKEN = re.compile("<Code>(ExpiredToken|InvalidToken)</Code>")
_REGION = re.compile("PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraint|configured region")
_MISSING_BUCKET = re.compile("NoSuchBucket|ContainerNotFound")


class VersionChanged(StorageError):
    """Error of a conditional write that found another version than the expected one."""

    code = "changed"


@contextmanager
def translate_errors(operation: str, path: str, url: str) -> Iterator[None]:
    """Turn an error of obstore into a `StorageError` with operation, path and URI of the object.

    Args:
        operation: The name of the operation, for the message.
        path: Table-relative path of the object.
        url: The URI of the object.

    Raises:
        Missing: The object does not exist.
        AlreadyExists: The object to create exists already.
        VersionChanged: A conditional write found another version than the expected one.
        Throttled: The store refused the request because of too many requests.
        StorageError: The store failed for another reason.
    """
    try:
        yield
    except HoodooError:  # an option, whose error is a ValueError too, or an error that was translated before
        raise
    except (BaseError, OSError, ValueError) as error:
        # without the cause: its text contains requests and responses
        raise _translated(error, f"{operation} '{path}'", url) from None


def _translated(error: Exception, what: str, url: str) -> StorageError:
    text = str(error)
    if _MISSING_BUCKET.search(text):
        return StorageError(f"{what}: no such bucket or container ({url}); create it, or check the location")
    if isinstance(error, FileNotFoundError):
        translated: StorageError = Missing(f"{what}: no such object ({url})")
        translated.errno = errno.ENOENT
        return translated
    if role := _ROLE.search(text):
        reason = " ".join(filter(None, role.groups()))
        translated = StorageError(
            f"{what}: the role of option 's3_role' was not assumed: {reason} ({url}); check the role, its trust policy "
            "and option 's3_role_endpoint'"
        )
        translated.errno = errno.EACCES
        return translated
    if isinstance(error, AlreadyExistsError):
        translated = AlreadyExists(f"{what}: the object exists already ({url})")
        translated.errno = errno.EEXIST
        return translated
    if isinstance(error, PreconditionError):
        return VersionChanged(f"{what}: another writer changed the object ({url})")
    if isinstance(error, (PermissionDeniedError, UnauthenticatedError)) or _DENIED.search(text):
        translated = StorageError(f"{what}: permission denied, {_reason(text)} ({url}); check the credentials")
        translated.errno = errno.EACCES
        return translated
    if advice := _advice(text):
        translated = StorageError(f"{what}: {_reason(text)} ({url}); {advice}")
        translated.errno = errno.EACCES
        return translated
    kind = Throttled if _THROTTLED.search(text) else StorageError
    translated = kind(f"{what}: {_reason(text)} ({url})")
    # readers use errno to distinguish a failed store from corrupt bytes
    translated.errno = errno.EIO
    return translated


def _advice(text: str) -> str | None:
    """Return the advice about a refused token or region; None for other errors."""
    if token := _TOKEN.search(text):
        expired = token[1] == "ExpiredToken"
        return "the session token has expired: use new credentials" if expired else "check the session token"
    if _REGION.search(text):
        return "the bucket is in another region: set s3_region (fs.s3a.endpoint.region) or AWS_REGION to its region"
    return None


def _reason(text: str) -> str:
    """Return a description of a failure, with status, code and number of retries if known, but no text of the store."""
    status, code, kind, retries = (p.search(text) for p in (_STATUS, _CODE, _KIND, _RETRIES))
    if status:
        reason = f"the store returned {status[1].strip()}" + (f" ({code[1]})" if code else "")
    elif kind:
        reason = {"Connect": "no connection to the store", "Timeout": "the store did not respond in time"}.get(
            kind[1], "the response of the store was interrupted"
        )
    else:
        reason = "the store failed"
    return reason + (f" after {retries[1]} retries" if retries else "")
