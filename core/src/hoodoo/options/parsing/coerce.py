"""Conversion of option text to values: Spark passes all options as strings."""

from __future__ import annotations

import difflib

__all__ = ["flag_of", "is_no_flag", "items_of"]

_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def flag_of(text: str) -> bool:
    """Return the boolean of a text: true, false, yes, no, 1 or 0, without regard to case.

    Raises:
        ValueError: The text is none of these.
    """
    try:
        return _FLAGS[text.strip().lower()]
    except KeyError:
        raise ValueError(f"{text!r} is neither true nor false") from None


def is_no_flag(value: object) -> bool:
    """Return whether a value is neither a boolean nor a likely misspelling of one; False for an empty text."""
    text = str(value).strip().lower()
    return bool(text) and not difflib.get_close_matches(text, _FLAGS, n=1, cutoff=0.5)


def items_of(text: str) -> list[str]:
    """Return the items of a comma-separated list, stripped of whitespace, without empty items."""
    return [item.strip() for item in text.split(",") if item.strip()]
