"""Reasons that many rules have for differences between paths, and the groups of paths that they are about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hoodoo.testing.differences import Difference
from hoodoo.testing.paths.table_paths import Path

__all__ = [
    "ACCEPTED",
    "AGELESS",
    "COMPARED",
    "CUT",
    "FILLED_LATE",
    "FOLDED",
    "FORGOTTEN",
    "LOGGED",
    "REGROUPED",
    "STORED_NULL",
    "TWO_RULES",
    "UNFLAGGED",
    "WRITTEN",
    "on_paths",
]


def on_paths(
    paths: Iterable[Path], family: str, rule: str, when: Iterable[Iterable[str]], reason: str, **more: Any
) -> tuple[Difference, ...]:
    """Return one entry per path and set of traits; `more` are further attributes of `Difference`."""
    return tuple(Difference(family, rule, path, frozenset(traits), reason, **more) for path in paths for traits in when)


WRITTEN = (Path.COMMITS, Path.COMPACTED)
FOLDED = (Path.BATCH, Path.LOG)
REGROUPED = (*FOLDED, Path.COMPACTED)
LOGGED = (Path.LOG, Path.COMPACTED)

FORGOTTEN = (
    "copy-on-write storage keeps no tombstone, and a compaction drops them: a version that would lose to the delete is "
    "inserted when it comes after it"
)
ACCEPTED = (
    "a delete without ordering value removes what came before it, and any row is accepted after it; folded together, "
    "the row is left, meets what is stored, and loses to a greater ordering value"
)
CUT = (
    "a delete cuts the versions before it from those after it; folded together, the row after it is left, meets what "
    "is stored, and is filled from it"
)
FILLED_LATE = (
    "a row has one ordering value, whichever columns were filled into it from a late version: what fills what depends "
    "on which versions meet first"
)
AGELESS = (
    "a value of a stored row without ordering value is older than any other, until it is part of a row that has one: "
    "which versions it loses to depends on which of them meet first"
)
STORED_NULL = "a column that a partial version does not have is stored as null, which no later version fills"
TWO_RULES = "a payload has one rule for the versions of a batch and another for storage"
COMPARED = f"{TWO_RULES}: within a batch deletes are compared by ordering value, and storage forgets them"
UNFLAGGED = "a log keeps a flagged delete as a key-only one, and that is applied before anything is compared"
