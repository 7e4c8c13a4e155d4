"""Partition columns of folders `column=value`: their names, and their values with the types that Spark infers."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from urllib.parse import unquote

import pyarrow as pa

from hoodoo.errors import SchemaError
from hoodoo.keys.partition_path import DEFAULT_PARTITION

__all__ = ["folder_values", "typed_values"]

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBERS = (pa.int32(), pa.int64(), pa.float64())
"""Types of numbers, each with all values of those before it."""


def folder_values(folder: str) -> dict[str, str | None]:
    """Return the values that the levels of a path have, by column; empty for a path without `column=value`.

    Raises:
        SchemaError: Only some levels have this form, or two levels name one column.
    """
    levels = [level.partition("=") for level in folder.split("/")] if folder else []
    named = [level for level in levels if level[1]]
    if not named:
        return {}
    if len(named) < len(levels):
        raise SchemaError(
            f"folder '{folder}' has levels with and without the form column=value; rename the folders, or set "
            "'bootstrap_path' to a folder below",
            code="bootstrap",
        )
    values = {unquote(name): None if text == DEFAULT_PARTITION else unquote(text) for name, _, text in named}
    if len(values) < len(named) or "" in values:
        raise SchemaError(
            f"folder '{folder}' names a column twice, or has a level without a name; rename the folders",
            code="bootstrap",
        )
    return values


def typed_values(texts: Sequence[str | None]) -> pa.Array:
    """Return the values of a partition column with the type that Spark infers from all of them.

    The type is int, long, double, date or string. Whole numbers that do not fit a long, and timestamps, stay texts.
    """
    kinds = {_kind(text) for text in texts if text is not None}
    kind = pa.string()
    if kinds and kinds <= set(_NUMBERS):
        kind = max(kinds, key=_NUMBERS.index)
    elif len(kinds) == 1:
        kind = kinds.pop()
    return pa.array([None if text is None else _value(text, kind) for text in texts], kind)


def _kind(text: str) -> pa.DataType:
    if _INTEGER.fullmatch(text):
        number = int(text)
        if -(2**31) <= number < 2**31:
            return pa.int32()
        return pa.int64() if -(2**63) <= number < 2**63 else pa.string()
    if _NUMBER.fullmatch(text):
        return pa.float64()
    if _DATE.fullmatch(text):
        try:
            datetime.date.fromisoformat(text)
        except ValueError:
            return pa.string()
        return pa.date32()
    return pa.string()


def _value(text: str, kind: pa.DataType) -> object:
    if pa.types.is_integer(kind):
        return int(text)
    if pa.types.is_floating(kind):
        return float(text)
    return datetime.date.fromisoformat(text) if pa.types.is_date(kind) else text
