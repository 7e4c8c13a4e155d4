"""Where a rule gives other rows on one way through a table than on another, and why: the one list, read by the tests.

A rule is compared with itself: what a path leaves against the versions meeting one by one (`Path.ONE_BY_ONE`). Any
difference that no entry admits is a bug of the rule or of the core, and so is an entry that never occurs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from attrs import field, frozen

from hoodoo.testing.data.vector_records import is_key_only, ordering_of
from hoodoo.testing.paths.table_paths import History, Path

__all__ = [
    "DELETE",
    "DIFFERENCES",
    "KEY_ONLY",
    "LATE",
    "NO_ORDERING",
    "SEVERAL",
    "TIE",
    "UNCONDITIONAL",
    "Difference",
    "traits",
]

DELETE = "a delete"
KEY_ONLY = "a key-only delete with an ordering value"
UNCONDITIONAL = "a delete without ordering value"
LATE = "a late version"
"""One that arrives after a version of a greater ordering value."""
TIE = "a tie"
NO_ORDERING = "a stored row without ordering value"
SEVERAL = "several versions that are not stored"


def traits(history: History, ordering: Sequence[str]) -> frozenset[str]:
    """What a history has of the above."""
    orders = [ordering_of(row, ordering) for row in history.rows]
    pairs = list(combinations([_comparable(order) for order in orders if order is not None], 2))
    key_only = [order for row, order in zip(history.rows, orders, strict=True) if is_key_only(row)]
    found = {
        DELETE: bool(key_only) or any("$flagged" in row for row in history.rows),
        KEY_ONLY: any(order is not None for order in key_only),
        UNCONDITIONAL: None in key_only,
        LATE: any(a > b for a, b in pairs),
        TIE: any(a == b for a, b in pairs),
        NO_ORDERING: history.stored is not None and ordering_of(history.stored, ordering) is None,
        SEVERAL: len(history.incoming) > 1,
    }
    return frozenset(name for name, has in found.items() if has)


def _comparable(order: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
    """Values as a rule compares them: null is less than any other, NaN is greater."""
    return tuple((0,) if value is None else (2,) if value != value else (1, value) for value in order)


@frozen
class Difference:
    """One rule on one path.

    Attributes:
        family: `merger` or `payload`.
        rule: The plugin's name.
        path: The way through a table that gives other rows.
        when: Every history that differs has these traits.
        reason: Why, for a user.
        compat: The semantics of a payload that it is about; None for all.
        options: Options of the plugin that it is about, `False` where the option is not set; others may have any value.
    """

    family: str
    rule: str
    path: Path
    when: frozenset[str]
    reason: str
    compat: str | None = None
    options: Mapping[str, Any] = field(factory=dict)

    def concerns(self, family: str, rule: str, compat: str, options: Mapping[str, Any]) -> bool:
        """Whether it is about this rule, as it is configured."""
        named = (self.family, self.rule) == (family, rule) and self.compat in (None, compat)
        return named and all(options.get(name, False) == value for name, value in self.options.items())

    def admits(self, path: Path, found: Iterable[str]) -> bool:
        """Whether a history of these traits may leave another row on this path."""
        return self.path is path and self.when <= set(found)


def _on(
    paths: Iterable[Path], family: str, rule: str, when: Iterable[Iterable[str]], reason: str, **more: Any
) -> tuple[Difference, ...]:
    """One entry per path and set of traits."""
    return tuple(Difference(family, rule, path, frozenset(traits), reason, **more) for path in paths for traits in when)


_WRITTEN = (Path.COMMITS, Path.COMPACTED)
_FOLDED = (Path.BATCH, Path.LOG)
_REGROUPED = (*_FOLDED, Path.COMPACTED)
_LOGGED = (Path.LOG, Path.COMPACTED)

_FORGOTTEN = (
    "copy-on-write storage keeps no tombstone, and a compaction drops them: a version that would lose to the delete is "
    "inserted when it comes after it"
)
_ACCEPTED = (
    "a delete without ordering value removes what came before it, and any row is accepted after it; folded together, "
    "the row is left, meets what is stored, and loses to a greater ordering value"
)
_CUT = (
    "a delete cuts the versions before it from those after it; folded together, the row after it is left, meets what "
    "is stored, and is filled from it"
)
_FILLED_LATE = (
    "a row has one ordering value, whichever columns were filled into it from a late version: what fills what depends "
    "on which versions meet first"
)
_AGELESS = (
    "a value of a stored row without ordering value is older than any other, until it is part of a row that has one: "
    "which versions it loses to depends on which of them meet first"
)
_STORED_NULL = "a column that a partial version does not have is stored as null, which no later version fills"
_TWO_RULES = "a payload has one rule for the versions of a batch and another for storage"
_COMPARED = f"{_TWO_RULES}: within a batch deletes are compared by ordering value, and storage forgets them"
_UNFLAGGED = "a log keeps a flagged delete as a key-only one, and that is applied before anything is compared"

DIFFERENCES: tuple[Difference, ...] = (
    *_on(_WRITTEN, "merger", "event-time", [(DELETE, LATE)], _FORGOTTEN),
    *_on(_FOLDED, "merger", "event-time", [(UNCONDITIONAL, LATE)], _ACCEPTED),
    *_on(_WRITTEN, "merger", "deduplicate", [(DELETE, LATE)], _FORGOTTEN, options={"ignore_delete": False}),
    *_on(_FOLDED, "merger", "deduplicate", [(UNCONDITIONAL, LATE)], _ACCEPTED, options={"ignore_delete": False}),
    *_on(_WRITTEN, "merger", "first-value", [(DELETE, LATE), (DELETE, TIE)], _FORGOTTEN),
    *_on(_FOLDED, "merger", "first-value", [(UNCONDITIONAL, LATE), (UNCONDITIONAL, TIE)], _ACCEPTED),
    *_on(_REGROUPED, "merger", "null-partial", [(DELETE,)], _CUT, options={"remove_on_delete": True}),
    *_on(_REGROUPED, "merger", "commit-time-partial", [(DELETE,)], _CUT),
    *_on(_REGROUPED, "merger", "event-time-partial", [(DELETE,)], _CUT),
    *_on(_REGROUPED, "merger", "event-time-partial", [(LATE,)], _FILLED_LATE),
    *_on([Path.COMMITS], "merger", "event-time-partial", [(DELETE, LATE)], _FORGOTTEN),
    *_on([Path.COMMITS], "merger", "event-time-partial", [(LATE,)], _STORED_NULL, options={"partial": "keep-values"}),
    *_on(_WRITTEN, "merger", "per-column-event-time", [(DELETE,)], _FORGOTTEN),
    *_on(_REGROUPED, "merger", "per-column-event-time", [(UNCONDITIONAL,)], _CUT),
    *_on(_REGROUPED, "merger", "per-column-event-time", [(NO_ORDERING,)], _AGELESS),
    *_on([Path.BATCH], "payload", "event-time", [(DELETE, LATE)], _COMPARED),
    *_on(_LOGGED, "payload", "event-time", [(DELETE, LATE)], _UNFLAGGED),
    *_on([Path.BATCH], "payload", "event-time-avro", [(DELETE, LATE)], _COMPARED),
    *_on(_LOGGED, "payload", "event-time-avro", [(DELETE, LATE)], _UNFLAGGED, options={"variant": False}),
    *_on(
        _LOGGED,
        "payload",
        "event-time-avro",
        [(DELETE, LATE)],
        "any delete is taken, and any row after it; folded together, the row is left, meets what is stored, and loses "
        "to a greater ordering value",
        options={"variant": "delete-first"},
    ),
    *_on([Path.BATCH], "payload", "first-value", [(DELETE, LATE), (DELETE, TIE)], _COMPARED),
    *_on(_LOGGED, "payload", "first-value", [(DELETE, LATE), (DELETE, TIE)], _UNFLAGGED),
    *_on(
        [Path.BATCH],
        "payload",
        "overwrite-with-latest",
        [(LATE,)],
        f"{_TWO_RULES}: within a batch the greater ordering value wins, against storage the later write",
        compat="legacy",
    ),
    *_on(
        [Path.BATCH],
        "payload",
        "aws-dms",
        [(LATE,)],
        f"{_TWO_RULES}: within a batch the greater ordering value wins, against storage the later write",
        compat="legacy",
    ),
    *_on([Path.BATCH], "payload", "mysql-debezium", [(DELETE, LATE)], _FORGOTTEN),
    *_on(_LOGGED, "payload", "mysql-debezium", [(DELETE, LATE)], _UNFLAGGED),
    *_on([Path.BATCH], "payload", "postgres-debezium", [(DELETE, LATE)], _FORGOTTEN),
    *_on(_LOGGED, "payload", "postgres-debezium", [(DELETE, LATE)], _UNFLAGGED),
    *_on(_LOGGED, "payload", "postgres-debezium", [(DELETE,)], _CUT),
    *_on(_LOGGED, "payload", "postgres-debezium", [(LATE,)], _FILLED_LATE),
    *_on(
        [Path.BATCH],
        "payload",
        "postgres-debezium",
        [(SEVERAL,)],
        f"{_TWO_RULES}: a value that was not logged is kept from what is stored, and not from the batch",
    ),
    *_on(
        [Path.BATCH],
        "payload",
        "overwrite-non-defaults",
        [(SEVERAL,)],
        f"{_TWO_RULES}: within a batch one record is taken whole, against storage its defaults are filled",
    ),
    *_on(_LOGGED, "payload", "overwrite-non-defaults", [(DELETE,)], _CUT),
    *_on(
        _REGROUPED,
        "payload",
        "expression",
        [(SEVERAL,)],
        "clauses see the one record that is left of a batch or of logs, and not what those before it made of the table",
    ),
    *_on(_LOGGED, "payload", "expression", [(DELETE,)], _UNFLAGGED),
    *_on([Path.BATCH], "payload", "partial-update", [(DELETE,)], f"{_COMPARED}; and where one loses, its columns fill"),
    *_on(_LOGGED, "payload", "partial-update", [(DELETE,)], _CUT),
    *_on(_REGROUPED, "payload", "partial-update", [(LATE,)], _FILLED_LATE),
)
