"""Treatment of keys that are neither options nor keys of Hudi."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from typing import Any

import attrs
from attrs import frozen

from hoodoo.options.hudi import Effect, earlier_keys, listed_keys, verdict_of
from hoodoo.options.parsing.declare import option

__all__ = ["UnknownKeyOptions", "changes_no_rows", "is_default", "misspelt_key", "suggestion"]

_NEAR = 0.85
"""Similarity above which a key is regarded as a misspelling of another one."""

_SERVICES = re.compile(
    r"hoodie\.(datasource\.)?(write\.)?"
    r"(hive_?sync|meta[._]?sync|glue|xtable|onetable|clean|cleaner|cleaning|compact|compaction|archive|archival|keep|"
    r"commits|parquet|orc|logfile|bulkinsert|async)[._][\w.\-]+"
    r"|hoodie\.(index\.bucket|bucket\.index)\.[\w.\-]+"
)
"""Pattern of keys of catalog sync, table services, files and buckets, most of which change no rows."""
_RULES = re.compile(r"payload|merge|ordering|partition\.filter")
"""Pattern of words in the keys of `_SERVICES` that can change rows."""


@frozen
class UnknownKeyOptions:
    """Keys that are neither options nor keys of Hudi."""

    unknown_keys: str = option(
        "hoodoo.unknown_keys",
        default="refuse",
        choices=("refuse", "warn"),
        help="Reaction to a key that is neither an option nor a key of Hudi: `refuse` raises an error that names "
        "similar keys, `warn` leaves the key out with a warning.",
    )


def misspelt_key(name: str, options: Collection[str]) -> str | None:
    """Return the key, of an option or without effect, that an unknown `hoodie.*` key misspells; None if there is none.

    A key that differs only in its first words takes precedence over one with similar letters. If several keys are
    similar, the first one is returned if none of them has an effect; otherwise the result is None.

    Args:
        name: The unknown key in lower case.
        options: The keys of all options, in lower case.
    """
    if not name.startswith("hoodie."):
        return None
    keys = {*options, *listed_keys(), *earlier_keys()}
    near = sorted(key for key in keys if _has_another_start(name, key))
    near = near or difflib.get_close_matches(name, sorted(keys), n=2, cutoff=_NEAR)
    if len(near) > 1 and not all(_has_no_effect(key, options) for key in near):
        return None
    return near[0] if near and (near[0] in options or _has_no_effect(near[0], options)) else None


def changes_no_rows(name: str, *, of_read: bool) -> bool:
    """Return whether the name of an unknown key is like those of keys that change no row, such as keys of services.

    Args:
        name: The key in lower case.
        of_read: Whether the options are those of a read; a key of a read in a write changes no row.
    """
    name = name.strip()
    if name.startswith("hoodie.datasource.read.") and not of_read:
        return True
    return _SERVICES.fullmatch(name) is not None and _RULES.search(name) is None


def _has_another_start(name: str, key: str) -> bool:
    """Return whether a name differs from a key of several words only in its first words."""
    words = key.removeprefix("hoodie.")
    return words.count(".") > 1 and name.endswith(f".{words}")


def _has_no_effect(key: str, options: Collection[str]) -> bool:
    verdict = verdict_of(key)
    return key not in options and verdict is not None and verdict.effect is not Effect.REFUSED


def is_default(field: attrs.Attribute[Any], value: Any) -> bool:
    """Return whether a value, as text, is the default of an option."""
    default = field.metadata["shown_default"] if field.default is None else str(field.default)
    return str(value).strip().lower() == (default or "").strip("`").lower()


def suggestion(name: str, options: Collection[str]) -> str:
    """Return the end of a message about an unknown key: similar options, or the page that lists all options."""
    near = difflib.get_close_matches(name, options, n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(repr(match) for match in near)}?" if near else "; see docs/options.md"
