"""Errors of a query whose expression has no value for a row, such as a division by zero or an overflow."""

from __future__ import annotations

import re

from pyspark.errors import (
    ArithmeticException,
    ArrayIndexOutOfBoundsException,
    DateTimeException,
    NumberFormatException,
    SparkRuntimeException,
)

from hoodoo.spark.pyspark_version import SESSION_CALLS

__all__ = ["value_error"]

_VALUE_ERRORS = (
    ArithmeticException,
    ArrayIndexOutOfBoundsException,
    DateTimeException,
    NumberFormatException,
    SparkRuntimeException,
)
_OF_TASK = re.compile(
    r"Lost task [^\n]*?\): "
    r"(?:org\.apache\.spark\.Spark(?:Arithmetic|ArrayIndexOutOfBounds|DateTime|NumberFormat|Runtime)Exception"
    # the class that `raise_error` throws there
    r"|java\.lang\.RuntimeException): (.+)"
)
_OF_TEXT = re.compile(r"org\.apache\.spark\.SparkException: (\[MALFORMED_RECORD_IN_PARSING[^\n]+)")
"""Pattern of the error about JSON or CSV text that does not match its schema, whose class PySpark does not convert."""


def value_error(error: Exception) -> str | None:
    """Return the first line of the message of an error about a value; None for any other error.

    PySpark before 4.0 does not convert errors of tasks: the text contains the class and the message of the error.
    """
    if isinstance(error, _VALUE_ERRORS):
        return str(error).split("\n")[0]
    text = _OF_TEXT.search(str(error))
    if text is not None:
        return text[1].strip()
    if SESSION_CALLS.is_available():
        return None
    return sentence_in(str(error))


def sentence_in(text: str) -> str | None:
    """Return the first line of an error about a value from the text of a failed job; None if the text has none."""
    found = _OF_TASK.search(text)
    return None if found is None else found[1].strip()
