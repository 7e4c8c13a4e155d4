"""Known differences between the paths of a rule through a table, which the test of the rule lists.

A test compares the rows that result from a path with those from `Path.ONE_BY_ONE`, which merges the versions one by
one. A difference without an entry is a bug of the rule or of the core, and an entry that never occurs is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from attrs import field, frozen

from hoodoo.plugin.installed.names import normalised
from hoodoo.testing.data.vector_records import is_key_only, ordering_of
from hoodoo.testing.paths.table_paths import History, Path

__all__ = [
    "DELETE",
    "KEY_ONLY",
    "LATE",
    "NO_ORDERING",
    "SEVERAL",
    "TIE",
    "UNCONDITIONAL",
    "Difference",
    "entry_problem",
    "traits",
]

DELETE = "a delete"
KEY_ONLY = "a key-only delete with an ordering value"
UNCONDITIONAL = "a delete without ordering value"
LATE = "a late version"
"""Trait: a version arrives after one with a greater ordering value."""
TIE = "a tie"
NO_ORDERING = "a stored row without ordering value"
SEVERAL = "several versions that are not stored"


def traits(history: History, ordering: Sequence[str]) -> frozenset[str]:
    """Return the traits that a history has."""
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
    """Return ordering values in a comparable form: null is less than any other value, and NaN is greater."""
    return tuple((0,) if value is None else (2,) if value != value else (1, value) for value in order)


@frozen
class Difference:
    """Intended difference between the rows of a rule on a path and those on `Path.ONE_BY_ONE`.

    Attributes:
        family: `merger` or `payload`.
        rule: The plugin's name.
        path: The path through a table that gives other rows.
        when: The traits that every history with the difference has.
        reason: The reason, for a user.
        compat: The semantics of a payload that has the difference; None for all.
        options: Options with which the plugin has the difference, `False` for an option that is not set. Other options
            may have any value.
    """

    family: str
    rule: str
    path: Path
    when: frozenset[str]
    reason: str
    compat: str | None = None
    options: Mapping[str, Any] = field(factory=dict)

    def applies(self, compat: str, options: Mapping[str, Any]) -> bool:
        """Return whether the rule has the difference with these semantics and options."""
        has_options = all(options.get(name, False) == value for name, value in self.options.items())
        return has_options and self.compat in (None, compat)

    def admits(self, path: Path, found: Iterable[str]) -> bool:
        """Return whether a history with these traits may give another row on this path."""
        return self.path is path and self.when <= set(found)


_TRAITS = frozenset({DELETE, KEY_ONLY, LATE, NO_ORDERING, SEVERAL, TIE, UNCONDITIONAL})


def entry_problem(entry: Any, family: str, rule: str) -> str | None:
    """Return a sentence about the fault of an entry, such as an unknown trait; None for a valid entry.

    Args:
        entry: An entry of the list of a test.
        family: The family of the tested rule.
        rule: The name of the tested plugin.
    """
    if not isinstance(entry, Difference):
        return f"it is of type {type(entry).__name__}; list hoodoo.testing.Difference objects"
    compared = [path for path in Path if path is not Path.ONE_BY_ONE]
    if entry.path not in compared:
        names = ", ".join(f"Path.{path.name}" for path in compared)
        path = f"Path.{entry.path.name}" if isinstance(entry.path, Path) else f"'{entry.path}'"
        return f"its path is {path}, and no such path is compared with the versions one by one; use {names}"
    if (entry.family, normalised(entry.rule)) != (family, normalised(rule)):
        return f"it is of {entry.family} '{entry.rule}', and the test is of {family} '{rule}'"
    unknown = sorted(set(entry.when) - _TRAITS)
    if unknown:
        return f"no history has the trait {unknown[0]!r}; use the constants of hoodoo.testing.differences"
    if not entry.when:
        return "it has no traits, so that it would excuse every history on its path; add them as `when`"
    if not entry.reason.strip():
        return "it has no reason; add it as `reason`"
    return None
