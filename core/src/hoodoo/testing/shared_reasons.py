"""Reasons for differences between paths that many rules share, and the groups of paths to which they apply."""

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
    "copy-on-write storage keeps no tombstones, and a compaction drops them: a version that arrives after the delete "
    "is inserted, even if it would lose to the delete"
)
ACCEPTED = (
    "a delete without ordering value removes all earlier versions, and any later row is accepted; if both are merged "
    "first, only the row remains, and it loses to a stored row with a greater ordering value"
)
CUT = (
    "a delete separates the versions before it from those after it; if a delete and a later row are merged first, only "
    "the row remains, and it is filled from the stored row"
)
FILLED_LATE = (
    "a row has one ordering value, even if some of its columns are filled from a late version: the result depends on "
    "which versions are merged first"
)
AGELESS = (
    "a value of a stored row without ordering value loses to any other, until it is part of a row that has one: the "
    "result depends on which versions are merged first"
)
STORED_NULL = "a column that a partial version does not have is stored as null, which no later version fills"
TWO_RULES = "a payload has one rule for the versions of a batch and another for storage"
COMPARED = f"{TWO_RULES}: within a batch deletes are compared by ordering value, and storage does not keep them"
UNFLAGGED = "a log keeps a flagged delete as a key-only delete, which is applied without a comparison"
