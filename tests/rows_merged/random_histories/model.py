"""Model of a table as dictionaries: the expected rows of every query.

It is written from the definition of the table format, does not read files, and is simple but slow: it merges versions
one after the other, and searches all commits for each instant. `tests/support/versions.py` merges two versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.versions import META, Rules, Version

__all__ = ["Commit", "Log", "TableModel"]

Row = dict[str, Any]
Group = tuple[str, str]

COMMIT_TIME = META[0]


@dataclass(frozen=True)
class Log:
    """A log file and the versions in it.

    Attributes:
        commit: The time of the delta commit that wrote it.
        slice: The instant of the slice in its name; table version 6 only.
        number: The version number in its name.
        token: The write token in its name.
        versions: The versions of records, in the order of the log.
    """

    commit: str
    slice: str
    number: int
    token: str
    versions: tuple[Version, ...]


@dataclass(frozen=True)
class Commit:
    """A completed commit: times of request and completion, the table's columns then, and replaced groups."""

    time: str
    completion: str
    columns: tuple[str, ...]
    replaced: frozenset[Group] = frozenset()


@dataclass
class Files:
    """Files of a file group, committed or not: base files by their instant, and logs."""

    bases: dict[str, list[Row]] = field(default_factory=dict)
    logs: list[Log] = field(default_factory=list)


@dataclass
class TableModel:
    """Model of a table.

    Attributes:
        version: The table version: 6, 8 or 9.
        rules: The rules by which versions are merged.
        created: The columns before the first commit.
        key: The column with the record keys.
        groups: The files of file groups by partition path and file id.
        commits: The completed commits on the timeline.
        archived: The completed commits that are no longer on the timeline.
    """

    version: int
    rules: Rules
    created: tuple[str, ...]
    key: str = "_hoodie_record_key"
    groups: dict[Group, Files] = field(default_factory=dict)
    commits: list[Commit] = field(default_factory=list)
    archived: list[Commit] = field(default_factory=list)

    def group(self, group: Group) -> Files:
        """Return the files of a file group; a missing file group is created."""
        return self.groups.setdefault(group, Files())

    def record(self, row: Row, *, is_partial: bool = False) -> Version:
        """Return a record of a data block as a version."""
        order, is_delete = self.rules.order(row), self.rules.deletes(row)
        return Version(str(row[self.key]), row, order, is_delete, is_partial=is_partial)

    # what is visible

    def as_of(self, time: str | None) -> list[Commit]:
        """Return the completed commits that were requested up to a time, in the order of requests; None is now."""
        known = (commit for commit in (*self.archived, *self.commits) if time is None or commit.time <= time)
        return sorted(known, key=lambda commit: commit.time)

    def snapshot(self, time: str | None = None) -> list[Row]:
        """Return the rows as of a time; None is now."""
        return self._rows(self.as_of(time), logs=True)

    def read_optimized(self, time: str | None = None) -> list[Row]:
        """Return the rows of the latest base files as of a time; None is now."""
        return self._rows(self.as_of(time), logs=False)

    def incremental(self, begin: str | None, end: str | None) -> list[Row]:
        """Return the rows that the commits after `begin`, up to `end`, wrote, in their state at the end.

        Times are those of requests in version 6, and of completions in later versions. None sets no limit. The rows of
        archived commits are left out.
        """

        def at(commit: Commit) -> str:
            return commit.time if self.version == 6 else commit.completion

        until = [commit for commit in self.as_of(None) if end is None or at(commit) <= end]
        chosen = {c.time for c in until if (begin is None or at(c) > begin) and c not in self.archived}
        return [row for row in self._rows(until, logs=True) if row[COMMIT_TIME] in chosen]

    def columns(self, commits: Sequence[Commit] | None = None) -> tuple[str, ...]:
        """Return the columns of the newest of the commits, by default of all; without commits those of the creation."""
        commits = self.as_of(None) if commits is None else commits
        return commits[-1].columns if commits else self.created

    def merged(self, group: Group, commits: Iterable[Commit]) -> list[Row]:
        """Return the rows of one file group, merged from the files of these commits."""
        known = {commit.time: commit for commit in commits}
        files = self.groups[group]
        base = max((instant for instant in files.bases if instant in known), default="")
        newer: dict[str, Version] = {}
        for log in self.ordered(files.logs):
            if log.commit in known and self.belongs(log, known[log.commit], base):
                for version in log.versions:
                    older = newer.get(version.key)
                    newer[version.key] = version if older is None else self.rules.merge(older, version)
        rows, met = [], set()
        for row in files.bases.get(base, ()):
            # a stored row is a row, regardless of its delete flag
            held = Version(str(row[self.key]), row, self.rules.order(row))
            if held.key in newer:
                met.add(held.key)
                held = self.rules.merge(held, newer[held.key])
            if not held.is_delete:
                rows.append(held.row)
        rows += [version.row for key, version in newer.items() if key not in met and not version.is_delete]
        return rows

    def _rows(self, commits: list[Commit], *, logs: bool) -> list[Row]:
        hidden = {group for commit in commits for group in commit.replaced}
        names = [*META, *self.columns(commits)]
        rows = []
        for group in sorted(set(self.groups) - hidden):
            if logs:
                found = self.merged(group, commits)
            else:
                bases = self.groups[group].bases
                known = [commit.time for commit in commits if commit.time in bases]
                found = bases[max(known)] if known else []
            rows += [{name: row.get(name) for name in names} for row in found]
        return rows

    def belongs(self, log: Log, commit: Commit, base: str) -> bool:
        """Return whether a log is merged with a base file, rather than contained in it."""
        if self.version == 6:
            return log.slice >= base
        completion = commit.time if commit in self.archived else commit.completion
        return completion >= base

    def ordered(self, logs: Iterable[Log]) -> list[Log]:
        """Return logs in the order in which they are merged."""
        return sorted(logs, key=lambda log: (log.slice if self.version == 6 else log.commit, log.number, log.token))
