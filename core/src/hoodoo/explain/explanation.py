"""Classes of an explanation: versions, decisions and answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import asdict, field, frozen

from hoodoo.explain.render.short_values import plain
from hoodoo.explain.statements import Statement

__all__ = [
    "Answer",
    "Decision",
    "Explanation",
    "HiddenFile",
    "LostDelete",
    "Result",
    "RuleUse",
    "SliceTrace",
    "Version",
]


@frozen
class Version:
    """Version of the record in a file.

    Attributes:
        number: The number within the slice, in order of arrival, from 1.
        place: `base` or `log`.
        commit: The instant that wrote the version; None if neither the meta columns nor the log block have it.
        file: The path of the file, relative to the table.
        offset: The byte offset of the log block; None in a base file.
        row: The row number in the file or in the block, from 0.
        delete: None if the version is not a delete; `flagged` (a delete with data), `key_only`, or
            `key_only_unordered` (without an ordering value).
        ordering: The ordering values by column; None if there are none.
        data: The values by column, under the names that the table has; None for a delete of the key alone.
        stored_names: The names that columns have in the file, by the names of the table, where the two differ.
    """

    number: int
    place: str
    commit: str | None
    file: str
    offset: int | None
    row: int
    delete: str | None
    ordering: Mapping[str, Any] | None
    data: Mapping[str, Any] | None
    stored_names: Mapping[str, str] = field(factory=dict)


@frozen
class Decision:
    """Decision of the rule about two versions, or about one version without a counterpart.

    Attributes:
        stage: `logs` (two versions of logs), `base` (a base row and the fold of the logs) or `insert` (no base row has
            the key).
        older: The number of the version that arrived first; None at `insert`.
        newer: The number of the version that arrived later.
        choice: `keep` (the older version), `take` (the newer version) or `delete`. At stage `insert`, `keep` omits the
            record.
        changed: The values that the rule set in addition, by column.
        reason: The reason, as a sentence.
        code: The reason code of the rule; None if the rule gave none, or none with a sentence.
    """

    stage: str
    older: int | None
    newer: int
    choice: str
    changed: Mapping[str, Any]
    reason: str
    code: int | None = None


@frozen
class Result:
    """Row that a reader gets.

    Attributes:
        version: The number of the version that won.
        row: The values by column.
        merged: The columns, without meta columns, whose values differ from those of the winning version.
    """

    version: int
    row: Mapping[str, Any]
    merged: tuple[str, ...]


@frozen
class OtherPath:
    """Merge path on which the versions of a record in a slice give another row than that of the table, or an error.

    Attributes:
        path: The name of the path, as in `hoodoo.testing.Path`.
        row: The row on that path; None if there is none, or if it is unknown.
        differing: The columns whose values differ; empty if the path or the table has no row.
        error: The reason why the row on that path is unknown; "" if it is known.
    """

    path: str
    row: Mapping[str, Any] | None
    differing: tuple[str, ...]
    error: str = ""


@frozen
class SliceTrace:
    """Versions of the record in one file slice, and their merge.

    Attributes:
        partition: The partition path.
        file_id: The id of the file group.
        base_instant: The instant that the slice begins with.
        is_current: Whether readers read the slice. Other slices await cleaning.
        versions: The versions in order of arrival.
        decisions: The decisions in order of time.
        results: The rows that a reader gets from the slice.
        other_paths: The paths of the test kit on which the versions give another row, or an error.
    """

    partition: str
    file_id: str
    base_instant: str
    is_current: bool
    versions: tuple[Version, ...]
    decisions: tuple[Decision, ...]
    results: tuple[Result, ...]
    other_paths: tuple[OtherPath, ...] = ()

    @property
    def winners(self) -> frozenset[int]:
        """Return the numbers of the versions that won."""
        return frozenset(result.version for result in self.results)


@frozen
class RuleUse:
    """Merge rule of the table, and its use.

    Attributes:
        use: `reading` (readers and compaction merge logs with the rule) or `writing`.
        label: The rule with its distribution and version, or the error if it cannot be loaded.
        ordering: The ordering columns.
        compares: Whether the rule compares the ordering columns; None if the rule cannot be loaded.
        ordering_from: The property that names the ordering columns; None if there are none.
        delete_rules: The names of the delete rules.
    """

    use: str
    label: str
    ordering: tuple[str, ...]
    compares: bool | None
    ordering_from: str | None
    delete_rules: tuple[str, ...]


@frozen
class LostDelete:
    """Delete of the record whose tombstone is not available to later merges.

    Attributes:
        commit: The commit that wrote the tombstone; if none was written, the commit that rewrote the base file without
            the row.
        version: The tombstone in an earlier slice; None if none was written.
        dropped_by: The commit whose base file has neither the row nor a tombstone.
        partition: The partition path.
        file_id: The id of the file group.
    """

    commit: str
    version: Version | None
    dropped_by: str
    partition: str
    file_id: str


@frozen
class HiddenFile:
    """Base file that contains the record and belongs to a replaced file group.

    Attributes:
        file: The path of the file, relative to the table.
        replaced_by: The commit that replaced the file group.
    """

    file: str
    replaced_by: str


@frozen
class Answer:
    """Answer to one question.

    Attributes:
        question: `why_this_one`, `which_field_orders`, `why_back`, `why_gone`, `why_two_rows`, `which_statement` or
            `other_paths`.
        text: The answer, in sentences for users.
    """

    question: str
    text: str


@frozen(repr=False)
class Explanation:
    """Explanation of the row that a reader gets for a key.

    Attributes:
        table: The URI of the table.
        key: The record key, as in `_hoodie_record_key`.
        partition: The partition that was searched; None for all partitions.
        as_of: The instant of the query; None for the latest state.
        rules: The merge rules of the table, with the ordering columns.
        settings: The table properties that name the rules.
        current: The current slices of file groups that have, or had, a version of the record.
        earlier: The older slices of the same file groups, one group after the other, each latest first.
        lost: The deletes whose tombstone is not available to later merges.
        hidden: The base files that contain the record and belong to replaced file groups.
        cleaned: The commits that wrote to these file groups and whose files were cleaned.
        commits: The operations of the commits of the timeline, such as `upsert` or `compact`, by instant.
        searched: The number of file slices that were searched.
        statements: The statements that wrote to these file groups, earliest first.
        answers: The answers to the questions that apply.
    """

    table: str
    key: str
    partition: str | None
    as_of: str | None
    rules: tuple[RuleUse, ...]
    settings: Mapping[str, str]
    current: tuple[SliceTrace, ...]
    earlier: tuple[SliceTrace, ...]
    lost: tuple[LostDelete, ...]
    hidden: tuple[HiddenFile, ...]
    cleaned: tuple[str, ...]
    commits: Mapping[str, str]
    searched: int
    statements: tuple[Statement, ...] = ()
    answers: tuple[Answer, ...] = field(default=())

    @property
    def found(self) -> bool:
        """Return whether a searched file has a version of the record."""
        return bool(self.hidden) or any(trace.versions for trace in (*self.current, *self.earlier))

    @property
    def rows(self) -> tuple[Mapping[str, Any], ...]:
        """Return the rows that a reader gets for the key."""
        return tuple(result.row for trace in self.current for result in trace.results)

    def answer(self, question: str) -> str | None:
        """Return the answer to a question, or None if the question does not apply."""
        return next((answer.text for answer in self.answers if answer.question == question), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON values: times as ISO 8601, decimals as text, bytes as hexadecimal digits."""
        document: dict[str, Any] = plain({**asdict(self), "found": self.found})
        return document

    def to_json(self) -> str:
        """Return `to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        from hoodoo.explain.render.text_view import as_text

        return as_text(self)

    def __repr__(self) -> str:
        count = sum(len(trace.versions) for trace in self.current)
        versions = "1 version" if count == 1 else f"{count} versions"
        rows = "1 row" if len(self.rows) == 1 else f"{len(self.rows)} rows"
        return f"Explanation({self.key!r}: {versions}, {rows}; use print() to see it)"

    def _repr_html_(self) -> str:
        from hoodoo.explain.render.html_view import as_html

        return as_html(self)
