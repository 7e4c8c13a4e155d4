"""Parser of statements about Hudi's indexes of columns, which are refused."""

from __future__ import annotations

from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.definitions import Refused

__all__ = ["parse_index"]

_REASON = (
    "Hudi keeps such indexes in the metadata table, which hoodoo does not write. Files are found by partitions and the "
    "ranges in their footers; the option 'index' chooses how a write finds keys"
)


def parse_index(cursor: Cursor) -> Refused | None:
    """Return the statement CREATE, DROP, REFRESH or SHOW about indexes that is next; None for another statement."""
    at, index = cursor.peek(1), cursor.index
    if cursor.take("SHOW", "INDEXES"):
        found = cursor.take("FROM") or cursor.take("IN")
    elif cursor.at_any("CREATE", "DROP", "REFRESH") and at.upper == "INDEX":
        while not cursor.at_end and not cursor.at("ON"):
            cursor.next()
        found = cursor.take("ON")
        cursor.take("TABLE")
    else:
        return None
    if not found or not cursor.peek().is_name:
        cursor.index = index
        return None
    return Refused(cursor.name("the name of a table"), cursor.fragment(at.start, at.end), _REASON)
