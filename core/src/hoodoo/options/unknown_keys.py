"""Treatment of keys that are neither options nor keys of Hudi."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from attrs import frozen

from hoodoo.options.declare import option
from hoodoo.options.hudi import Effect, earlier_keys, listed_keys, rule_of

__all__ = ["UnknownKeyOptions", "misspelt_without_effect", "suggestion"]

_NEAR = 0.85
"""Similarity above which a key is regarded as a misspelling of another one."""


@frozen
class UnknownKeyOptions:
    """Keys that are neither options nor keys of Hudi."""

    unknown_keys: str = option(
        "hoodoo.unknown_keys",
        default="refuse",
        choices=("refuse", "warn"),
        help="Reaction to a key that is neither an option nor a key of Hudi: `refuse` raises an error that names similar "
        "keys, `warn` leaves the key out with a warning.",
    )


def misspelt_without_effect(name: str, options: Iterable[str]) -> str | None:
    """Return the key without effect that an unknown key misspells; None where another key may be meant.

    Args:
        name: The unknown key in lower case.
        options: The keys of all options, which are not misspelt without a consequence.
    """
    if not name.startswith("hoodie."):
        return None
    keys = {*options, *listed_keys(), *earlier_keys()}
    near = [key for key in keys if _has_another_start(name, key)]
    near = near or difflib.get_close_matches(name, keys, n=2, cutoff=_NEAR)
    return near[0] if near and all(map(_has_no_effect, near)) else None


def _has_another_start(name: str, key: str) -> bool:
    """Return whether a name is a key of several words with other words before them."""
    words = key.removeprefix("hoodie.")
    return words.count(".") > 1 and name.endswith(f".{words}")


def _has_no_effect(key: str) -> bool:
    rule = rule_of(key)
    return rule is not None and rule.effect is not Effect.REFUSED


def suggestion(name: str, options: Iterable[str]) -> str:
    """Return the end of a message about an unknown key: similar options, or the page with all of them."""
    near = difflib.get_close_matches(name, options, n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(repr(match) for match in near)}?" if near else "; see docs/options.md"
