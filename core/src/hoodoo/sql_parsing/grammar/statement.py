"""Parser of a whole statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.definitions import (
    Call,
    CreateIndex,
    CreateTable,
    CreateView,
    Describe,
    DropIndex,
    DropTable,
    ShowCreate,
    ShowIndexes,
    ShowPartitions,
    ShowProperties,
    TruncateTable,
)
from hoodoo.sql_parsing.grammar.alter import Alteration, parse_alter
from hoodoo.sql_parsing.grammar.common import common_table_expressions
from hoodoo.sql_parsing.grammar.create import parse_create
from hoodoo.sql_parsing.grammar.inspect import parse_call, parse_describe, parse_drop, parse_show, parse_truncate
from hoodoo.sql_parsing.grammar.merge import parse_merge
from hoodoo.sql_parsing.grammar.rows import parse_delete, parse_insert, parse_update
from hoodoo.sql_parsing.statements import Delete, Insert, Merge, QueryStatement, Update
from hoodoo.sql_text.fragment import Fragment

__all__ = ["Statement", "parse_statement"]

Statement = (
    Alteration
    | Call
    | CreateIndex
    | CreateTable
    | CreateView
    | Delete
    | Describe
    | DropIndex
    | DropTable
    | Insert
    | Merge
    | QueryStatement
    | ShowCreate
    | ShowIndexes
    | ShowPartitions
    | ShowProperties
    | TruncateTable
    | Update
)

_QUERIES = ("SELECT", "FROM", "VALUES", "TABLE", "WITH", "MAP", "REDUCE", "EXPLAIN", "")

_PARSERS: dict[str, Callable[[Cursor], Any]] = {
    "ALTER": parse_alter,
    "CALL": parse_call,
    "CREATE": parse_create,
    "DELETE": parse_delete,
    "DESC": parse_describe,
    "DESCRIBE": parse_describe,
    "DROP": parse_drop,
    "INSERT": parse_insert,
    "MERGE": parse_merge,
    "REPLACE": parse_create,
    "SHOW": parse_show,
    "TRUNCATE": parse_truncate,
    "UPDATE": parse_update,
}


def parse_statement(text: str) -> Statement:
    """Return the statement of a text; a `QueryStatement` for a query and for each statement without a class of its own.

    Raises:
        StatementError: The text is empty, is not a valid statement, contains several statements, or has a part that is
            refused.
    """
    cursor = Cursor.of(text)
    if cursor.at_end:
        raise cursor.error("the statement is empty; pass one statement in SQL")
    _check_single(cursor)
    ctes = common_table_expressions(cursor) if cursor.at("WITH") else None
    word = cursor.peek().upper
    if ctes is not None and word in ("UPDATE", "DELETE"):
        raise cursor.error(
            f"WITH before {word} is not supported; write the query into the condition, or use MERGE INTO",
            code="refused",
        )
    if word == "INSERT":
        return parse_insert(cursor, ctes)
    if word == "MERGE":
        return parse_merge(cursor, ctes)
    if ctes is None and word in _PARSERS:
        found: Statement | None = _PARSERS[word](cursor)
        if found is not None:
            return found
    return _query(cursor, text)


def _check_single(cursor: Cursor) -> None:
    for token in cursor.tokens:
        if token.is_symbol(";"):
            raise Fragment(cursor.text, token.start, token.end).error(
                "the text has several statements; run them one at a time"
            )


def _query(cursor: Cursor, text: str) -> QueryStatement:
    """Return a query, or another statement that is not parsed further."""
    cursor.index = 0
    end = cursor.tokens[-1].start
    head = " ".join(token.upper for token in cursor.tokens[:2] if token.upper)
    words = [token.upper for token in cursor.tokens]
    if words[0] not in _QUERIES:
        return QueryStatement(Fragment(text, 0, end), False, head)
    if words[0] == "EXPLAIN":
        inner = next((word for word in words[1:] if word not in ("EXTENDED", "CODEGEN", "COST", "FORMATTED")), "")
        return QueryStatement(Fragment(text, 0, end), inner in _QUERIES, f"EXPLAIN {inner}".strip())
    # FROM ... INSERT INTO ... writes
    several = words[0] == "FROM" and "INSERT" in words
    return QueryStatement(Fragment(text, 0, end), not several, "FROM ... INSERT" if several else head)
