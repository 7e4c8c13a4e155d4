"""Transport of errors from executors to the driver: encoded in the message, and rebuilt with their type."""

from __future__ import annotations

import base64
import json
import os
import platform
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

import hoodoo.errors as errors
from hoodoo.errors import CorruptTableError, HoodooError, PluginFault

__all__ = ["message_first", "message_first_here", "packed", "raised_after_message", "transported_error"]

T = TypeVar("T")

_HIDE_TRACEBACK = "SPARK_HIDE_TRACEBACK"
"""Environment variable of Spark's Python workers: if it is set, the text of an error has no traceback."""

_PATTERN = re.compile(r"hoodoo-error:([A-Za-z0-9+/=]+):")


def packed(work: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Yield the results of work in a task. Raise a hoodoo error as a `RuntimeError` that the driver can decode."""
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
    """Yield the rows of a read, and raise a hoodoo error as `message_first_here` does."""
    with message_first_here():
        yield from rows


@contextmanager
def message_first_here() -> Iterator[None]:
    """Raise hoodoo errors of a Python worker so that their message precedes all tracebacks in the query's error.

    No driver code decodes the error of a read: the user sees the text that Spark's worker creates, in which a header
    and the traceback precede the message. With an environment variable that the worker then reads, the text begins with
    the message, and the traceback follows as a note. A worker ends after an exception, so that the variable affects no
    other query.
    """
    try:
        yield
    except HoodooError as error:
        os.environ[_HIDE_TRACEBACK] = "1"
        traces = "".join(traceback.format_exception(error))
        shown = error.in_one_line() if isinstance(error, PluginFault) else error
        shown.add_note(traces)
        raise shown.with_traceback(None) from None


def raised_after_message(error: HoodooError) -> NoReturn:
    """Raise an error with its message alone as its cause; its own causes and traceback follow as a note.

    A formatted traceback begins with the causes of an error. Therefore the message comes first if other code in this
    process formats the traceback without the environment variable.
    """
    shown = error.in_one_line() if isinstance(error, PluginFault) else error
    message = type(error).__new__(type(error), *shown.args)  # a constructor may need more than the message
    error.add_note("".join(traceback.format_exception(error)))
    raise error from message


def _public(error: HoodooError) -> str:
    """Return the name of the most specific class of an error that is in `hoodoo.errors`."""
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
