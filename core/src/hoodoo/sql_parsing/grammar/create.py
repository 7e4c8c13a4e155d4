"""Parser of CREATE TABLE, CREATE TEMPORARY VIEW and CREATE INDEX."""

from __future__ import annotations

from typing import Any

from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.definitions import CreateIndex, CreateTable, CreateView
from hoodoo.sql_parsing.grammar.common import names_in_parentheses, properties
from hoodoo.sql_parsing.grammar.indexes import parse_create_index
from hoodoo.sql_text.tokens import Kind

__all__ = ["FORMATS", "creates_hudi_table", "parse_create"]

FORMATS = ("hoodoo", "hudi", "org.apache.hudi")
"""Formats of tables that hoodoo creates, in lower case."""

_CLONE = "CLONE is not supported; use AS SELECT, which can also read an earlier commit"
_REFUSED = {
    "CLUSTERED": "CLUSTERED BY makes Spark's buckets, not Hudi's; use the properties 'index' = 'bucket' and 'buckets'",
    "CLUSTER": "CLUSTER BY is not supported; remove it",
    "SHALLOW": _CLONE,
    "DEEP": _CLONE,
    "SKEWED": "SKEWED BY is not supported; remove it",
    "ROW": "ROW FORMAT is a clause of Hive's text tables; remove it",
    "STORED": "STORED AS and STORED BY are clauses of Hive's tables; remove the clause",
}


def parse_create(cursor: Cursor) -> CreateIndex | CreateTable | CreateView | None:
    """Return the parsed CREATE TABLE, REPLACE TABLE, CREATE TEMPORARY VIEW or CREATE INDEX statement at the cursor.

    Returns:
        The statement; None for another one that begins with CREATE or REPLACE, such as CREATE TABLE ... LIKE.

    Raises:
        StatementError: A part is missing, invalid or superfluous, a clause, a property or a column occurs twice, or a
            clause is refused for a Hudi table.
    """
    if cursor.take("CREATE", "INDEX"):
        return parse_create_index(cursor)
    replaces = False
    if cursor.take("CREATE"):
        replaces = cursor.take("OR", "REPLACE")
    elif cursor.take("REPLACE"):
        replaces = True
    temporary = cursor.take("TEMPORARY") or cursor.take("TEMP")
    cursor.take("EXTERNAL")
    if temporary and cursor.take("VIEW"):
        return _view(cursor, replaces)
    if not cursor.take("TABLE"):
        return None
    return _table(cursor, replaces, temporary)


def _view(cursor: Cursor, replaces: bool) -> CreateTable | CreateView | None:
    tolerant = cursor.take("IF", "NOT", "EXISTS")
    name = cursor.name("the name of a view")
    if not cursor.at_symbol("(") and cursor.at("USING"):
        return _clauses(cursor, {"name": name, "replaces": replaces, "is_temporary": True, "if_not_exists": tolerant})
    columns = None
    if cursor.at_symbol("("):
        if cursor.peek(2).value not in (",", ")"):
            return None
        columns = names_in_parentheses(cursor, "the name of a column")
    if tolerant or not cursor.take("AS"):
        return None
    return CreateView(name, cursor.rest("a query"), replaces, columns)


def _table(cursor: Cursor, replaces: bool, temporary: bool) -> CreateTable | None:
    given: dict[str, Any] = {"replaces": replaces, "is_temporary": temporary}
    given["if_not_exists"] = cursor.take("IF", "NOT", "EXISTS")
    given["name"] = cursor.name("the name of a table")
    if cursor.at("LIKE"):
        return None
    if cursor.at_symbol("(") and cursor.peek(1).upper not in ("SELECT", "WITH", "FROM"):
        given["columns"] = cursor.inside()
    return _clauses(cursor, given)


def _clauses(cursor: Cursor, given: dict[str, Any]) -> CreateTable | None:
    given.setdefault("provider", None)
    found: dict[str, str] = {}
    seen: set[str] = set()
    while not cursor.at_end:
        word = cursor.peek().upper
        if word in seen:
            raise cursor.error(f"{word} occurs twice; give it once")
        if word in _REFUSED:
            break
        seen.add(word)
        if cursor.take("USING"):
            given["provider"] = str(cursor.name("the format")).lower()
        elif cursor.take("OPTIONS") or cursor.take("TBLPROPERTIES"):
            at = cursor.peek()
            for key, value in properties(cursor).items():
                if found.setdefault(key, value) != value:
                    raise cursor.fragment(at.start, at.end).error(f"property '{key}' has two values; give it once")
        elif cursor.take("LOCATION"):
            given["location"] = cursor.string("a path")
        elif cursor.take("COMMENT"):
            given["comment"] = cursor.string("a comment")
        elif cursor.take("PARTITIONED", "BY"):
            _partitioned(cursor, given)
        else:
            break
    given["properties"] = found
    if cursor.peek().upper in _REFUSED:
        if given["provider"] not in FORMATS:
            return None
        raise cursor.error(_REFUSED[cursor.peek().upper], code="refused")
    if not cursor.at_end:
        is_query = cursor.take("AS") or cursor.at_any("SELECT", "WITH", "FROM", "VALUES", "TABLE")
        if not is_query and not cursor.at_symbol("("):
            raise cursor.error("a clause of CREATE TABLE, or AS with a query, is expected here")
        given["query"] = cursor.rest("a query")
    return CreateTable(**given)


def _partitioned(cursor: Cursor, given: dict[str, Any]) -> None:
    """Put the partition columns into `given`: their names, and their text if it contains types."""
    start = cursor.index
    inside = cursor.inside()
    stop = cursor.index
    cursor.index = start + 1
    names: list[str] = []
    typed = False
    while cursor.index < stop - 1:
        token = cursor.identifier("a partition column")
        if cursor.at_symbol("("):
            raise cursor.fragment(token.start, token.end).error(
                f"'{token.value}(...)' is a transform, which a Hudi table does not have; partition by a column, or use "
                "a key generator ('keygen')",
                code="refused",
            )
        names.append(token.value)
        while cursor.index < stop - 1 and not cursor.at_symbol(","):
            typed = typed or cursor.peek().kind is not Kind.END
            _skip_type(cursor)
        cursor.take_symbol(",")
    cursor.index = stop
    given["partition_by"] = tuple(names)
    if typed:
        given["partition_columns"] = inside


def _skip_type(cursor: Cursor) -> None:
    """Step over one token of a type, or over `<` and everything up to the `>` that closes it."""
    if not cursor.at_symbol("<"):
        cursor.skip_one()
        return
    depth = 0
    while True:
        depth += {"<": 1, ">": -1}.get(cursor.peek().value, 0)
        cursor.skip_one()
        if depth <= 0 or cursor.at_end:
            return


def creates_hudi_table(text: str) -> bool:
    """Return whether a text, which need not be a complete statement, begins like one that creates a Hudi table.

    Raises:
        StatementError: A string, a name or a comment is not closed.
    """
    cursor = Cursor.of(text)
    if not cursor.at_any("CREATE", "REPLACE"):
        return False
    while not cursor.at_end:
        if cursor.take("USING"):
            return cursor.peek().value.lower() in FORMATS
        cursor.next()
    return False
