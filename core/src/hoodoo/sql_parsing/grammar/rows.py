"""Parsers of INSERT, UPDATE and DELETE."""

from __future__ import annotations

from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.grammar.common import alias, assignments, names_in_parentheses, partition_clause
from hoodoo.sql_parsing.statements import Delete, Insert, Update
from hoodoo.sql_text.fragment import Fragment, Name

__all__ = ["parse_delete", "parse_insert", "parse_update"]

_QUERY_WORDS = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE")


def parse_update(cursor: Cursor) -> Update:
    """Return the parsed UPDATE statement at the cursor.

    Raises:
        StatementError: A part is missing, invalid, superfluous or refused, or a column is assigned twice.
    """
    cursor.expect("UPDATE")
    target = cursor.name("the table to change")
    given = alias(cursor)
    cursor.expect("SET")
    assigned = assignments(cursor, ("WHERE",), ("FROM",))
    if cursor.at("FROM"):
        raise cursor.error(
            "UPDATE ... FROM is not part of Spark's SQL; use MERGE INTO, or a subquery in the condition", code="refused"
        )
    condition = _condition(cursor)
    return Update(target, given, assigned, condition)


def parse_delete(cursor: Cursor) -> Delete:
    """Return the parsed DELETE statement at the cursor.

    Raises:
        StatementError: A part is missing, invalid, superfluous or refused.
    """
    cursor.expect("DELETE")
    cursor.expect("FROM")
    target = cursor.name("the table to change")
    given = alias(cursor)
    if cursor.at("USING"):
        raise cursor.error(
            "DELETE ... USING is not part of Spark's SQL; use MERGE INTO ... WHEN MATCHED THEN DELETE", code="refused"
        )
    return Delete(target, given, _condition(cursor))


def _condition(cursor: Cursor) -> Fragment | None:
    condition = cursor.until(what="the condition") if cursor.take("WHERE") else None
    cursor.expect_end()
    return condition


def parse_insert(cursor: Cursor, ctes: Fragment | None = None) -> Insert:
    """Return the parsed INSERT statement at the cursor.

    Args:
        cursor: The position of the word INSERT.
        ctes: The clause WITH before it; None if absent.

    Raises:
        StatementError: A part is missing, invalid, superfluous or refused, or a column occurs twice.
    """
    cursor.expect("INSERT")
    overwrites = cursor.take("OVERWRITE")
    if not overwrites:
        cursor.expect("INTO")
    elif cursor.at_any("DIRECTORY", "LOCAL"):
        raise cursor.error(
            "INSERT OVERWRITE DIRECTORY writes no table; run the query alone, and write its rows with DataFrame.write",
            code="refused",
        )
    cursor.take("TABLE")
    target = cursor.name("the table to write")
    if cursor.at("REPLACE"):
        raise cursor.error(
            "INSERT INTO ... REPLACE is not supported; use DELETE FROM and INSERT INTO, or INSERT OVERWRITE of the "
            "partitions",
            code="refused",
        )
    partition = partition_clause(cursor)
    if cursor.at("IF", "NOT", "EXISTS"):
        raise cursor.error(
            "IF NOT EXISTS is not supported in INSERT; check the partition with SHOW PARTITIONS first", code="refused"
        )
    by_name = cursor.take("BY", "NAME")
    columns = _columns(cursor) if not by_name and cursor.at_symbol("(") else None
    query = cursor.rest("a query, or VALUES")
    return Insert(target, query, overwrites, partition, columns, by_name, ctes)


def _columns(cursor: Cursor) -> tuple[Name, ...] | None:
    """Return the list of columns at the cursor; None if the parentheses contain a query."""
    inner = cursor.peek(1)
    if inner.upper in _QUERY_WORDS and not _is_end_of_item(cursor):
        return None
    if inner.is_symbol("("):
        return None
    return names_in_parentheses(cursor, "the name of a column")


def _is_end_of_item(cursor: Cursor) -> bool:
    """Return whether the first word in parentheses is a whole item of a list, such as a column `values`."""
    return cursor.at_symbol(",", 2) or cursor.at_symbol(")", 2)
