"""The path of a table among the options of a job."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from hoodoo.errors import OptionError

__all__ = ["PATH_KEYS", "plain_path", "split_path"]

PATH_KEYS = ("path", "basepath")
"""Keys of a dictionary that name the path of the table, in lower case."""


def split_path(path: str | os.PathLike[str] | None, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the path of a table, given as an argument or in the options, and the options without it.

    Raises:
        OptionError: There is no path, a path is not a text, or two paths differ.
    """
    named = {} if path is None else {"the argument 'path'": _text(path, "the argument 'path'")}
    rest = {}
    for key, value in options.items():
        if isinstance(key, str) and key.lower() in PATH_KEYS:
            if value is not None:
                named[f"option '{key}'"] = _text(value, f"option '{key}'")
        else:
            rest[key] = value
    if not named:
        raise OptionError("the path of the table is missing; give it as an argument or in the option 'path'")
    (first, chosen), *others = named.items()
    for name, other in others:
        if plain_path(other) != plain_path(chosen):
            raise OptionError(f"{first} is '{chosen}' and {name} is '{other}'; give one path", code="contradiction")
    return chosen, rest


def _text(path: Any, what: str) -> str:
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise OptionError(
            f"{what} has the type {type(path).__name__}; give the path of a table as a text or a pathlib.Path"
        )
    return text


def plain_path(path: str) -> str:
    """Return a path for comparisons: without `file://` and final slashes, with `s3://` for `s3a://` and `s3n://`."""
    for prefix, plain in (("s3a://", "s3://"), ("s3n://", "s3://"), ("file://", "")):
        if path.startswith(prefix):
            path = plain + path.removeprefix(prefix)
    return path.rstrip("/") or "/"
