"""Parsers of CREATE INDEX, DROP INDEX and SHOW INDEXES, in the grammar of Hudi's extension of Spark."""

from __future__ import annotations

from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.definitions import CreateIndex, DropIndex, ShowIndexes
from hoodoo.sql_parsing.grammar.common import check_distinct
from hoodoo.sql_text.fragment import Fragment, Name

__all__ = ["parse_create_index", "parse_drop_index", "parse_show_indexes"]


def parse_create_index(cursor: Cursor) -> CreateIndex:
    """Return the parsed CREATE INDEX statement; the cursor is after INDEX.

    Raises:
        StatementError: A part is missing, invalid or superfluous, or a column occurs twice.
    """
    tolerant = cursor.take("IF", "NOT", "EXISTS")
    index, table = _index_and_table(cursor)
    kind = cursor.identifier("the kind of an index").value.lower() if cursor.take("USING") else None
    columns, options = _columns(cursor) if cursor.at_symbol("(") else ((), None)
    options = _options(cursor) or options
    cursor.expect_end()
    return CreateIndex(table, index, kind, columns, options, tolerant)


def parse_drop_index(cursor: Cursor) -> DropIndex:
    """Return the parsed DROP INDEX statement; the cursor is after INDEX.

    Raises:
        StatementError: A part is missing or superfluous.
    """
    tolerant = cursor.take("IF", "EXISTS")
    index, table = _index_and_table(cursor)
    cursor.expect_end()
    return DropIndex(table, index, tolerant)


def parse_show_indexes(cursor: Cursor) -> ShowIndexes:
    """Return the parsed SHOW INDEXES statement; the cursor is after INDEXES.

    Raises:
        StatementError: A part is missing or superfluous.
    """
    if not cursor.take("FROM"):
        cursor.expect("IN")
    cursor.take("TABLE")
    name = cursor.name("the name of a table")
    cursor.expect_end()
    return ShowIndexes(name)


def _index_and_table(cursor: Cursor) -> tuple[Name, Name]:
    index = cursor.name("the name of an index")
    cursor.expect("ON")
    cursor.take("TABLE")
    return index, cursor.name("the name of a table")


def _columns(cursor: Cursor) -> tuple[tuple[Name, ...], Fragment | None]:
    """Return the columns of a list in parentheses, and the options of the last column that has some."""
    cursor.expect_symbol("(")
    columns: list[Name] = []
    options = None
    while True:
        columns.append(cursor.name("the name of a column"))
        options = _options(cursor) or options
        if not cursor.take_symbol(","):
            break
    cursor.expect_symbol(")")
    check_distinct(columns, "occurs twice in the list")
    return tuple(columns), options


def _options(cursor: Cursor) -> Fragment | None:
    return cursor.inside() if cursor.take("OPTIONS") else None
