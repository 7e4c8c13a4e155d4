"""Text that stands for other values: Spark hands options over as strings, those of plugins as well."""

from __future__ import annotations

__all__ = ["flag_of", "items_of"]

_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def flag_of(text: str) -> bool:
    """True or false, as people write them.

    Raises:
        ValueError: it is neither.
    """
    try:
        return _FLAGS[text.strip().lower()]
    except KeyError:
        raise ValueError(f"{text!r} is neither true nor false") from None


def items_of(text: str) -> list[str]:
    """The items of a list with commas between them, without the blanks around them; empty ones are left out."""
    return [item.strip() for item in text.split(",") if item.strip()]
