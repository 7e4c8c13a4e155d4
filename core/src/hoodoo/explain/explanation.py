"""What an explanation holds: versions, decisions, and answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import asdict, field, frozen

from hoodoo.explain.render.short_values import plain

__all__ = ["Answer", "Decision", "Explanation", "Hidden", "LostDelete", "Result", "RuleUse", "SliceTrace", "Version"]


@frozen
class Version:
    """One version of the record, as a file holds it.

    Attributes:
        number: Its number within the slice, in order of arrival, from 1.
        place: `base` or `log`.
        commit: The instant that wrote it; None where no meta column says so.
        file: Table-relative path.
        offset: Byte at which the log block begins; None in a base file.
        row: Its row in the file, or in the block; from 0.
        delete: None; or `flagged`, a delete with data, `key_only`, or `key_only_unordered`, without ordering value.
        ordering: The ordering values by column; None where it has none.
        data: The columns that it has; None for a delete of the key alone.
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


@frozen
class Decision:
    """What the rule decided about two versions, or about one that met none.

    Attributes:
        stage: `logs`, `base` (a base row met what the logs came to) or `insert` (no base row has the key).
        older: The version that arrived first; None at `insert`.
        newer: The other one.
        choice: `keep` the older, `take` the newer, or `delete`; at `insert` `keep` leaves the record out.
        changed: The columns that the rule set besides, with their values.
        reason: A sentence.
        code: The rule's own code for it; None where it gave none and the sentence says what was chosen.
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
    """A row that a reader gets.

    Attributes:
        version: The number of the version that won.
        row: The row, as read.
        merged: Columns whose value is not that version's own.
    """

    version: int
    row: Mapping[str, Any]
    merged: tuple[str, ...]


@frozen
class SliceTrace:
    """What was found of the record in one file slice, and how it was merged.

    Attributes:
        partition: Partition path.
        file_id: The file group.
        base_instant: The instant that the slice begins with.
        is_current: Whether a reader reads it; the others wait for the cleaner.
        versions: In order of their arrival.
        decisions: In the order in which they were made.
        results: The rows that a reader gets of it.
    """

    partition: str
    file_id: str
    base_instant: str
    is_current: bool
    versions: tuple[Version, ...]
    decisions: tuple[Decision, ...]
    results: tuple[Result, ...]

    @property
    def winners(self) -> frozenset[int]:
        """The numbers of the versions that won."""
        return frozenset(result.version for result in self.results)


@frozen
class RuleUse:
    """A rule of the table, and where it is used.

    Attributes:
        use: `reading`, the logs' rule for readers and compaction, or `writing`.
        label: The rule with its distribution and version, or what is wrong with it.
        ordering: The ordering columns.
        compares: Whether the rule compares them; None where it is not installed.
        ordering_from: The property that names them; None where there are none.
        delete_rules: By which a record is a delete.
    """

    use: str
    label: str
    ordering: tuple[str, ...]
    compares: bool | None
    ordering_from: str | None
    delete_rules: tuple[str, ...]


@frozen
class LostDelete:
    """A delete of the record that left no tombstone where it would be needed.

    Attributes:
        commit: The commit that deleted; where the tombstone was in a log, the one that wrote it.
        version: The tombstone, as an earlier slice still holds it; None where none was ever written.
        dropped_by: The commit whose base file holds neither row nor tombstone.
        partition: Partition path.
        file_id: The file group.
    """

    commit: str
    version: Version | None
    dropped_by: str
    partition: str
    file_id: str


@frozen
class Hidden:
    """A file with the record in a file group that a replace commit hides.

    Attributes:
        file: Table-relative path.
        replaced_by: The commit that hides it.
    """

    file: str
    replaced_by: str


@frozen
class Answer:
    """An answer to one question.

    Attributes:
        question: `why_this_one`, `which_field_orders`, `why_back`, `why_gone` or `why_two_rows`.
        text: The answer.
    """

    question: str
    text: str


@frozen(repr=False)
class Explanation:
    """Why a reader gets the row that it gets for a key.

    Attributes:
        table: The table's path.
        key: The record key, as `_hoodie_record_key` has it.
        partition: The partition that was looked at; None for all of them.
        as_of: The instant as of which it was asked; None for now.
        rules: The table's rules, with the ordering columns.
        settings: The table's properties that name them.
        current: The slices of today that hold something of the record, or held it before.
        earlier: Older slices of the same file groups, latest first.
        lost: Deletes whose tombstone is gone.
        hidden: Files of replaced file groups that hold the record.
        cleaned: Commits that wrote to these file groups and whose files are gone.
        commits: What the timeline calls the commits that are named here: `upsert`, `compact`.
        searched: File slices that were searched.
        answers: To the questions that arise.
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
    hidden: tuple[Hidden, ...]
    cleaned: tuple[str, ...]
    commits: Mapping[str, str]
    searched: int
    answers: tuple[Answer, ...] = field(default=())

    @property
    def found(self) -> bool:
        """Whether anything of the record is in a file that is still there."""
        return bool(self.hidden) or any(trace.versions for trace in (*self.current, *self.earlier))

    @property
    def rows(self) -> tuple[Mapping[str, Any], ...]:
        """The rows that a reader gets for the key."""
        return tuple(result.row for trace in self.current for result in trace.results)

    def answer(self, question: str) -> str | None:
        """The answer to a question; None where it does not arise."""
        return next((answer.text for answer in self.answers if answer.question == question), None)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: times as ISO 8601, decimals as text, bytes in hexadecimal digits."""
        document: dict[str, Any] = plain({**asdict(self), "found": self.found})
        return document

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        from hoodoo.explain.render.text_view import as_text

        return as_text(self)

    def __repr__(self) -> str:
        count = sum(len(trace.versions) for trace in self.current)
        return f"Explanation({self.key!r}: {count} versions, {len(self.rows)} rows; print it to read it)"

    def _repr_html_(self) -> str:
        from hoodoo.explain.render.html_view import as_html

        return as_html(self)
