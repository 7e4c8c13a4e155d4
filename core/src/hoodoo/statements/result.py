"""Result of a MERGE, UPDATE or DELETE."""

from __future__ import annotations

from attrs import frozen

from hoodoo.writing.commit import Commit

__all__ = ["StatementResult"]


@frozen
class StatementResult:
    """Result of a MERGE, UPDATE or DELETE: numbers of rows and files, and the commit.

    Attributes:
        inserted: Rows that were inserted.
        updated: Stored rows that got a new version.
        deleted: Stored rows that were removed.
        overridden: Changes that the merge rule of the table rejected, for example because the stored row is newer.
        unchanged: Rows of rewritten base files that did not change.
        files_written: Base and log files written.
        files_left: File groups of the table that were not changed.
        seconds: Seconds that the statement took.
        commit: The commit of the statement, with its instant.
    """

    inserted: int
    updated: int
    deleted: int
    overridden: int
    unchanged: int
    files_written: int
    files_left: int
    seconds: float
    commit: Commit
