"""Record keys of the rows that the merge rule rejected in a statement, in the metadata of the commit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.write_spec import StatementSpec

__all__ = ["REFUSED_KEY", "refused_keys", "refused_rows"]

REFUSED_KEY = "hoodoo.statement.refused"
"""The entry with keys of rows that the merge rule rejected, by clause."""

MOST_KEYS = 100


def refused_rows(statement: StatementSpec | None, statuses: Iterable[FileStatus]) -> dict[str, str]:
    """Return the entry of rejected rows for the metadata of a commit; {} if there are none.

    Args:
        statement: The statement; None for a write of a user's rows.
        statuses: The files that tasks wrote.
    """
    if statement is None:
        return {}
    named = sorted(pair for status in statuses for pair in status.refused)[:MOST_KEYS]
    by_clause: dict[str, list[str]] = {}
    for key, number in named:
        by_clause.setdefault(statement.texts[number - 1], []).append(key)
    return {REFUSED_KEY: json.dumps(by_clause, ensure_ascii=False)} if by_clause else {}


def refused_keys(entries: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the keys by clause that `refused_rows` wrote into the metadata of a commit; {} if there are none.

    All clauses together have at most `MOST_KEYS` keys.
    """
    found: dict[str, list[str]] = json.loads(entries.get(REFUSED_KEY, "{}"))
    return found
