"""A copy-on-write table as a list of dictionaries: what each write must leave behind.

It is written from the definition of the operations and rules and imports nothing of what it checks. Everything is done
the slow way: rows one after the other, keys found by looking at every stored row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Counts", "Held", "Rule", "TableModel"]

Row = dict[str, Any]

DELETE_FLAG = "_hoodie_is_deleted"


@dataclass(frozen=True)
class Rule:
    """Which version wins.

    Attributes:
        kind: `merger` or `payload`.
        name: `event-time`, `commit-time` or `overwrite-with-latest`.
        ordering: Columns that order versions; compared as one tuple.
        stored_ordering: Columns that a payload compares with what is stored; `ordering` where empty.
    """

    kind: str
    name: str
    ordering: tuple[str, ...] = ()
    stored_ordering: tuple[str, ...] = ()


@dataclass(frozen=True)
class Counts:
    """What one write did to stored rows, and how many records changed nothing."""

    incoming: int
    inserted: int
    updated: int
    deleted: int
    ignored: int


@dataclass(frozen=True)
class Version:
    """One incoming row. A row of the delete operation carries its key and perhaps its ordering value."""

    partition: str
    key: str
    values: Row
    is_delete: bool
    key_only: bool


@dataclass
class Held:
    """A stored row: where it is, what it holds, and the instant that wrote its values."""

    partition: str
    key: str
    values: Row
    instant: str


@dataclass
class TableModel:
    """The table. `key` and `partition` give a row's record key and partition path.

    After `apply`, call `stamp` with the instant of the commit.
    """

    columns: list[str]
    key: Callable[[Row], str]
    partition: Callable[[Row], str]
    rule: Rule
    rows: list[Held] = field(default_factory=list)
    appended: set[tuple[str, str]] = field(default_factory=set)

    def apply(self, operation: str, batch: Sequence[Row]) -> Counts:
        """Write a batch, whose rows are in order of arrival; columns that a row lacks are null."""
        if operation == "delete":
            versions = [self._version(row, is_delete=True, key_only=True) for row in batch]
        else:
            versions = [self._version(row, is_delete=row.get(DELETE_FLAG) is True, key_only=False) for row in batch]
        if operation in ("insert", "bulk_insert"):
            return self._append(versions)
        return self._merge(versions)

    def stamp(self, instant: str) -> None:
        """Say which instant the rows written by the last `apply` have."""
        for held in self.rows:
            held.instant = held.instant or instant

    def keys(self) -> list[tuple[str, str]]:
        """Partition path and record key of every stored row."""
        return [(held.partition, held.key) for held in self.rows]

    def _version(self, row: Row, *, is_delete: bool, key_only: bool) -> Version:
        return Version(self.partition(row), self.key(row), row, is_delete, key_only)

    def _append(self, versions: Sequence[Version]) -> Counts:
        live = [version for version in versions if not version.is_delete]
        for version in live:
            self.appended.add((version.partition, version.key))
            self.rows.append(self._held(version))
        return Counts(len(versions), len(live), 0, 0, len(versions) - len(live))

    def _merge(self, versions: Sequence[Version]) -> Counts:
        winners: dict[tuple[str, str], Version] = {}
        for version in versions:
            slot = (version.partition, version.key)
            if slot not in winners or self._wins_in_batch(winners[slot], version):
                winners[slot] = version
        inserted = updated = deleted = ignored = 0
        for version in winners.values():
            stored = [held for held in self.rows if (held.partition, held.key) == (version.partition, version.key)]
            beaten = [held for held in stored if self._wins_over_stored(held, version)]
            if version.is_delete:
                self.rows = [held for held in self.rows if not any(held is gone for gone in beaten)]
                deleted += len(beaten)
            elif stored:
                for held in beaten:
                    held.values, held.instant = self._complete(version.values), ""
                updated += len(beaten)
            else:
                self.rows.append(self._held(version))
                inserted += 1
            if not beaten and (stored or version.is_delete):
                ignored += 1
        return Counts(len(versions), inserted, updated, deleted, ignored)

    def _held(self, version: Version) -> Held:
        return Held(version.partition, version.key, self._complete(version.values), "")

    def _complete(self, values: Row) -> Row:
        return {name: values.get(name) for name in self.columns}

    def _wins_in_batch(self, older: Version, newer: Version) -> bool:
        """Two versions of one batch; `newer` arrived later, and a tie is its."""
        if self.rule.name == "commit-time":
            return True
        older_order, newer_order = (_order(v.values, self.rule.ordering) for v in (older, newer))
        if self.rule.kind == "payload" and older.key_only:
            return True
        if newer.is_delete and newer_order is None:
            return True
        return _at_least(newer_order, older_order)

    def _wins_over_stored(self, held: Held, newer: Version) -> bool:
        """The winner of the batch against a stored row."""
        if self.rule.name in ("commit-time", "overwrite-with-latest"):
            return True
        if self.rule.kind == "payload" and newer.key_only:
            return True
        ordering = self.rule.stored_ordering or self.rule.ordering
        newer_order = _order(newer.values, ordering)
        if newer.is_delete and newer_order is None:
            return True
        return _at_least(newer_order, _order(held.values, ordering))


def _order(values: Row, ordering: tuple[str, ...]) -> tuple[Any, ...] | None:
    """The ordering value; None where it is null or missing."""
    found = tuple(values.get(name) for name in ordering)
    return None if not found or any(value is None for value in found) else found


def _at_least(newer: tuple[Any, ...] | None, older: tuple[Any, ...] | None) -> bool:
    """No ordering value is less than every value."""
    if older is None:
        return True
    return newer is not None and newer >= older
