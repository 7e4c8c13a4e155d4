"""Messages of failing tests of the kit, with the claim, the rows and the result."""

from __future__ import annotations

from collections.abc import Iterable

from hoodoo.testing.data.vector_records import Row
from hoodoo.testing.paths.table_paths import History

__all__ = ["history_lines", "in_words", "report"]


def report(headline: str, lines: Iterable[tuple[str, object]], advice: str = "") -> str:
    """Return a message that consists of a headline, named values on separate lines, and advice."""
    named = list(lines)
    width = max((len(name) for name, _ in named), default=0)
    body = [f"    {name.ljust(width)}  {value}" for name, value in named]
    return "\n".join([headline, "", *body, *(["", advice] if advice else [])])


def in_words(row: Row | None) -> str:
    """Return a version or a result as text, without its nulls except `$ordering`; "no row" for None."""
    if row is None:
        return "no row"
    return str({name: value for name, value in row.items() if value is not None or name == "$ordering"})


def history_lines(history: History) -> list[tuple[str, str]]:
    """Return the named lines of a history for a report: the stored row, then one line for each incoming version."""
    incoming = [(f"version {number}", in_words(row)) for number, row in enumerate(history.incoming, 1)]
    return [("stored", in_words(history.stored)), *incoming]
