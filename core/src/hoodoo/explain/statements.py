"""Statements that wrote to the file groups of a record, with the changes that the merge rule rejected."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from hoodoo.timeline import Timeline
from hoodoo.timeline.commit_metadata import STATEMENT_KEY
from hoodoo.writing.statement_metadata import refused_keys

__all__ = ["Statement", "statements"]


@frozen
class Statement:
    """MERGE, UPDATE or DELETE that wrote to a file group of the record.

    Attributes:
        commit: The instant of its commit.
        text: The SQL text of the statement.
        refused: The clause whose change of the record the merge rule rejected; None if it rejected none.
    """

    commit: str
    text: str
    refused: str | None


def statements(timeline: Timeline, groups: Iterable[tuple[str, str]], key: str) -> tuple[Statement, ...]:
    """Return the statements that wrote to file groups, earliest first.

    Args:
        timeline: The timeline.
        groups: Partition path and file id of each file group.
        key: The record key. A commit names up to 100 keys of refused changes; `refused` is None for other keys.

    Raises:
        CorruptTableError: A commit is damaged.
    """
    wanted = set(groups)
    found = []
    for instant in timeline.commits:
        if not wanted.intersection(timeline.commit_outline(instant).touched()):
            continue
        entries = timeline.commit_metadata(instant).extra_metadata
        if STATEMENT_KEY in entries:
            clauses = refused_keys(entries)
            refused = next((clause for clause, keys in clauses.items() if key in keys), None)
            found.append(Statement(instant.time, entries[STATEMENT_KEY], refused))
    return tuple(found)
