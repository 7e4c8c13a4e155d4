"""Model of a table as a list of dictionaries: the expected rows after each write.

It is written from the definition of the operations, and imports nothing from hoodoo. It does everything the slow way:
rows one after the other, with a search of all stored rows for each key. `tests/support/versions.py` merges versions.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.versions import DELETE_FLAG, Rules
from tests.support.versions import Version as MergedVersion

__all__ = ["Counts", "Held", "Rule", "TableModel", "Version"]

Row = dict[str, Any]
Place = tuple[str, str]


@dataclass(frozen=True)
class Rule:
    """Merge rule, which decides which version wins.

    Attributes:
        kind: The family: `merger` or `payload`.
        name: The name: `event-time`, `commit-time` or `overwrite-with-latest`.
        ordering: The ordering columns, compared as one tuple.
        stored_ordering: The columns that a payload compares with stored rows; if empty, those of `ordering`.
    """

    kind: str
    name: str
    ordering: tuple[str, ...] = ()
    stored_ordering: tuple[str, ...] = ()

    def in_batch(self) -> Rules:
        """Return the rules for versions of one batch."""
        return Rules(self.name != "commit-time", self.ordering)

    def in_logs(self) -> Rules:
        """Return the rules for versions in logs, for which all readers use a merge mode instead of the payload."""
        return Rules(self.name == "event-time", self.ordering)

    def over_stored(self) -> Rules:
        """Return the rules that compare the winner of a batch or log with a stored row."""
        return Rules(self.name == "event-time", self.stored_ordering or self.ordering)

    def replace_payload(self) -> Rule:
        """Return the merger that replaces a payload from table version 8 on."""
        return Rule("merger", "event-time" if self.name == "event-time" else "commit-time", self.ordering)


@dataclass(frozen=True)
class Counts:
    """Numbers of rows that one write received, inserted, updated, deleted or ignored."""

    incoming: int
    inserted: int
    updated: int
    deleted: int
    ignored: int


@dataclass(frozen=True)
class Version:
    """One incoming row. A row of the delete operation has its key and perhaps its ordering value.

    Attributes:
        number: The number of the write that contained it, from 0.
    """

    partition: str
    key: str
    values: Row
    number: int
    is_delete: bool = False
    key_only: bool = False

    @property
    def place(self) -> Place:
        return self.partition, self.key


@dataclass
class Held:
    """Content of one file group for a key: the row of its base file, and the folded versions of its logs.

    Copy-on-write tables have no logs. A delete in a log remains there until a compaction.
    """

    base: Version | None
    log: Version | None = None

    @property
    def place(self) -> Place:
        version = self.base or self.log
        assert version is not None
        return version.place


@dataclass
class TableModel:
    """Model of a table. `key` and `partition` return the record key and the partition path of a row.

    After `apply`, call `stamp` with the instant of the commit.

    Attributes:
        columns: The columns of the table.
        merge_on_read: Whether changes go to logs.
        bucket: A function that returns the bucket of a key; None without a bucket index or logs. The index does not
            look up keys, so new keys and deletes of unknown keys go to logs, too, and so do inserts into a bucket with
            logs.
        held: The rows of base files and the versions in logs: see `Held`.
        appended: The partition paths and keys for which an insert may have stored a second row.
    """

    columns: list[str]
    key: Callable[[Row], str]
    partition: Callable[[Row], str]
    rule: Rule
    merge_on_read: bool = False
    bucket: Callable[[str], int] | None = None
    held: list[Held] = field(default_factory=list)
    appended: set[Place] = field(default_factory=set)
    _instants: list[str] = field(default_factory=list)
    _logged: set[tuple[str, int]] = field(default_factory=set)

    def apply(
        self,
        operation: str,
        batch: Sequence[Row],
        *,
        combine: bool = False,
        drop: bool = False,
        partitions: Sequence[str] | None = None,
    ) -> Counts:
        """Write a batch, whose rows are in order of arrival, and return the counts; columns that a row lacks are null.

        An upsert or delete of a merge-on-read table counts only the incoming rows.

        Args:
            operation: The operation of the write.
            batch: The incoming rows.
            combine: Whether rows of one key are merged before they are inserted.
            drop: Whether an insert leaves out the keys that are stored.
            partitions: The partitions that delete_partition removes, in which `*` matches any text; None for those of
                the rows.
        """
        versions = [self._version(row, operation) for row in batch]
        if operation == "insert_overwrite_table":
            self._remove({held.place[0] for held in self.held})
        elif operation == "insert_overwrite" or (operation == "delete_partition" and partitions is None):
            self._remove({version.partition for version in versions})
        elif operation == "delete_partition":
            stored = {held.place[0] for held in self.held}
            self._remove({name for name in stored if any(fnmatch.fnmatchcase(name, p) for p in partitions or ())})
        if operation == "delete_partition":
            # rows are not used if partitions are named
            return Counts(len(batch) if partitions is None else 0, 0, 0, 0, 0)
        if operation in ("upsert", "delete"):
            return self._merge(versions)
        return self._insert(versions, combine=combine, drop=drop)

    def stamp(self, instant: str) -> None:
        """Set the instant of the last `apply`."""
        self._instants.append(instant)

    def store(self, row: Row, instant: str) -> None:
        """Add a row that the commit of an instant stored before."""
        self.held.append(Held(Version(self.partition(row), self.key(row), row, len(self._instants))))
        self._instants.append(instant)

    def add_columns(self, names: Iterable[str]) -> None:
        """Add the columns that the table lacks; its rows have null in them."""
        self.columns += [name for name in names if name not in self.columns]

    def compact(self) -> None:
        """Merge logs into base files; deletes are dropped."""
        rows = [(held, self._current(held)) for held in self.held]
        self.held = [Held(version) for _, version in rows if not version.is_delete]
        self._logged.clear()

    @property
    def has_logs(self) -> bool:
        """Return whether there is anything to compact."""
        return any(held.log is not None for held in self.held)

    @property
    def rows(self) -> list[Version]:
        """Return the rows that a reader finds, as versions, which may lack columns; see `complete` and `instant`."""
        return [version for held in self.held if not (version := self._current(held)).is_delete]

    def complete(self, version: Version) -> Row:
        """Return a row with all columns of the table."""
        return {name: version.values.get(name) for name in self.columns}

    def instant(self, version: Version) -> str:
        """Return the instant that wrote a row."""
        return self._instants[version.number]

    def places(self) -> list[Place]:
        """Return the partition path and record key of every row."""
        return [version.place for version in self.rows]

    def clashes(self, batch: Sequence[Row], *, combine: bool) -> bool:
        """Return whether an insert contains a stored key in a row that is not a delete."""
        versions = [self._version(row, "insert") for row in batch]
        stored = set(self.places())
        return any(v.place in stored and not v.is_delete for v in (self._folded(versions) if combine else versions))

    def buried(self) -> set[Place]:
        """Return the partition paths and keys whose delete is in a log."""
        return {held.place for held in self.held if self._current(held).is_delete}

    def logs_inserts(self, partition: str, key: str) -> bool:
        """Return whether an insert of a key is written to a log and merged there."""
        return self.bucket is not None and (partition, self.bucket(key)) in self._logged

    def _version(self, row: Row, operation: str) -> Version:
        key_only = operation == "delete"
        is_delete = key_only or row.get(DELETE_FLAG) is True
        return Version(self.partition(row), self.key(row), row, len(self._instants), is_delete, key_only)

    def _remove(self, partitions: set[str]) -> None:
        self.held = [held for held in self.held if held.place[0] not in partitions]
        self._logged = {group for group in self._logged if group[0] not in partitions}

    def _folded(self, versions: Iterable[Version]) -> list[Version]:
        """Return the winning version of each partition path and key."""
        winners: dict[Place, Version] = {}
        for version in versions:
            older = winners.get(version.place)
            if older is None or self._wins(self.rule.in_batch(), older, version):
                winners[version.place] = version
        return list(winners.values())

    def _insert(self, versions: Sequence[Version], *, combine: bool, drop: bool) -> Counts:
        stored = set(self.places()) if drop else set()
        records = self._folded(versions) if combine else versions
        live = [version for version in records if not version.is_delete and version.place not in stored]
        for version in live:
            if self.logs_inserts(*version.place):
                self._log(version)
            else:
                self.appended.add(version.place)
                self.held.append(Held(version))
        return Counts(len(versions), len(live), 0, 0, len(records) - len(live))

    def _merge(self, versions: Sequence[Version]) -> Counts:
        inserted = updated = deleted = ignored = 0
        for version in self._folded(versions):
            if self.merge_on_read:
                self._log(version)
                continue
            stored = [held for held in self.held if held.place == version.place]
            beaten = [held for held in stored if held.base and self._wins(self.rule.over_stored(), held.base, version)]
            if version.is_delete:
                self.held = [held for held in self.held if not any(held is gone for gone in beaten)]
                deleted += len(beaten)
            elif stored:
                for held in beaten:
                    held.base = version
                updated += len(beaten)
            else:
                self.held.append(Held(version))
                inserted += 1
            if not beaten and (stored or version.is_delete):
                ignored += 1
        return Counts(len(versions), inserted, updated, deleted, ignored)

    def _log(self, version: Version) -> None:
        """Merge a version with the logs of its file groups.

        A new key begins a log if there is a bucket index. Otherwise it begins a base file, unless it is deleted.
        """
        stored = [held for held in self.held if held.place == version.place]
        for held in stored:
            if held.log is None or self._wins(self.rule.in_logs(), held.log, version):
                held.log = version
        if self.bucket is not None:
            self._logged.add((version.partition, self.bucket(version.key)))
            if not stored:
                self.held.append(Held(None, version))
        elif not stored and not version.is_delete:
            self.held.append(Held(version))

    def _current(self, held: Held) -> Version:
        base, log = held.base, held.log
        if log is None or (base is not None and not self._wins(self.rule.over_stored(), base, log)):
            assert base is not None
            return base
        return log

    def _wins(self, rules: Rules, older: Version, newer: Version) -> bool:
        """Return whether `newer`, which arrived later, wins."""
        return rules.newer_wins(self._merged(rules, older), self._merged(rules, newer))

    def _merged(self, rules: Rules, version: Version) -> MergedVersion:
        """Return a version in the form for merges. Payloads ignore the ordering value of a key-only delete."""
        order = None if self.rule.kind == "payload" and version.key_only else rules.order(version.values)
        return MergedVersion(version.key, version.values, order, version.is_delete, key_only=version.is_delete)
