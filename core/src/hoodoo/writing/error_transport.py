"""Transport of errors from executors to the driver: encoded in the message, and rebuilt with their type."""

from __future__ import annotations

import base64
import json
import platform
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import hoodoo.errors as errors
from hoodoo.errors import CorruptTableError, HoodooError

__all__ = ["message_first", "packed", "transported_error"]

T = TypeVar("T")

_PATTERN = re.compile(r"hoodoo-error:([A-Za-z0-9+/=]+):")


def packed(work: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Run work in a task; a hoodoo error is raised as an error whose message the driver can decode."""
    try:
        yield from work()
    except HoodooError as error:
        body: dict[str, Any] = {"type": _public(error), "code": error.code, "message": str(error)}
        if isinstance(error, CorruptTableError):
            body |= {"file": error.file, "offset": error.offset}
        text = base64.b64encode(json.dumps(body).encode()).decode()
        where = f"{platform.node()} ({sys.executable})"
        raise RuntimeError(f"{type(error).__name__} on {where}: {error} [hoodoo-error:{text}:]") from error


def message_first(rows: Iterator[T]) -> Iterator[T]:
    """Yield rows of a read; a hoodoo error is raised without its traceback, which follows the message as a note.

    Spark shows the traceback of a worker before the message, and no driver of hoodoo decodes the error of a read.
    """
    try:
        yield from rows
    except HoodooError as error:
        error.add_note("".join(traceback.format_exception(error)))
        raise error.with_traceback(None) from None


def _public(error: HoodooError) -> str:
    """Return the name of the nearest class of an error that `hoodoo.errors` has."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__name__ in errors.__all__)


def transported_error(error: BaseException) -> HoodooError | None:
    """Return the hoodoo error in the message of a failed job; None if the message has none."""
    match = _PATTERN.search(str(error))
    if match is None:
        return None
    body = json.loads(base64.b64decode(match[1]))
    kind = getattr(errors, body.pop("type"), HoodooError)
    message, code = body.pop("message"), body.pop("code")
    rebuilt: HoodooError = kind(message, **body) if body else kind(message)
    rebuilt.code = code
    return rebuilt
