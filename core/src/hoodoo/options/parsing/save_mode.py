"""Save mode of a write, which is not case-sensitive, as in Spark."""

from __future__ import annotations

from hoodoo.errors import OptionError

__all__ = ["SAVE_MODES", "save_mode"]

SAVE_MODES = ("append", "overwrite", "errorifexists", "ignore")
_SYNONYMS = {"error": "errorifexists", "default": "errorifexists"}


def save_mode(given: str) -> str:
    """Return the save mode of a name, which may be a synonym or have upper-case letters.

    Raises:
        OptionError: There is no such mode.
    """
    name = given.strip().lower() if isinstance(given, str) else ""
    mode = _SYNONYMS.get(name, name)
    if mode not in SAVE_MODES:
        raise OptionError(f"mode is '{given}'; choose one of: {', '.join(SAVE_MODES)}")
    return mode
