"""Parsers of DROP, TRUNCATE, SHOW, DESCRIBE and CALL."""

from __future__ import annotations

from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.definitions import (
    Argument,
    Call,
    Describe,
    DropIndex,
    DropTable,
    ShowCreate,
    ShowIndexes,
    ShowPartitions,
    ShowProperties,
    TruncateTable,
)
from hoodoo.sql_parsing.grammar.common import partition_clause, property_key
from hoodoo.sql_parsing.grammar.indexes import parse_drop_index, parse_show_indexes

__all__ = ["parse_call", "parse_describe", "parse_drop", "parse_show", "parse_truncate"]

_OTHER_OBJECTS = ("FUNCTION", "DATABASE", "SCHEMA", "CATALOG", "QUERY", "NAMESPACE")


def parse_drop(cursor: Cursor) -> DropIndex | DropTable | None:
    """Return the parsed DROP TABLE or DROP INDEX statement at the cursor; None for DROP of another object.

    Raises:
        StatementError: A part is missing, invalid or superfluous.
    """
    if cursor.take("DROP", "INDEX"):
        return parse_drop_index(cursor)
    if not cursor.take("DROP", "TABLE"):
        return None
    tolerant = cursor.take("IF", "EXISTS")
    name = cursor.name("the name of a table")
    purge = cursor.take("PURGE")
    cursor.expect_end()
    return DropTable(name, tolerant, purge)


def parse_truncate(cursor: Cursor) -> TruncateTable:
    """Return the parsed TRUNCATE TABLE statement at the cursor.

    Raises:
        StatementError: A part is missing, invalid or superfluous, or a column occurs twice.
    """
    cursor.expect("TRUNCATE", "TABLE")
    name = cursor.name("the name of a table")
    partition = partition_clause(cursor)
    cursor.expect_end()
    return TruncateTable(name, partition)


def parse_show(cursor: Cursor) -> ShowCreate | ShowIndexes | ShowPartitions | ShowProperties | Describe | None:
    """Return the parsed SHOW statement of a table at the cursor; None for other forms, such as SHOW TABLES.

    Raises:
        StatementError: A part is missing, invalid or superfluous.
    """
    if cursor.take("SHOW", "INDEXES"):
        return parse_show_indexes(cursor)
    found: ShowCreate | ShowPartitions | ShowProperties | Describe
    if cursor.take("SHOW", "CREATE", "TABLE"):
        found = ShowCreate(cursor.name("the name of a table"))
        if cursor.take("AS"):
            cursor.expect("SERDE")
    elif cursor.take("SHOW", "PARTITIONS"):
        name = cursor.name("the name of a table")
        found = ShowPartitions(name, partition_clause(cursor))
    elif cursor.take("SHOW", "TBLPROPERTIES"):
        name, key = cursor.name("the name of a table"), None
        if cursor.take_symbol("("):
            key = property_key(cursor)
            cursor.expect_symbol(")")
        found = ShowProperties(name, key)
    elif cursor.at("SHOW", "COLUMNS") and cursor.peek(2).upper in ("IN", "FROM"):
        cursor.index += 3
        name = cursor.name("the name of a table")
        if cursor.at_any("IN", "FROM"):
            return None
        found = Describe(name, names_only=True)
    else:
        return None
    cursor.expect_end()
    return found


def parse_describe(cursor: Cursor) -> Describe | None:
    """Return the parsed DESCRIBE statement of a table at the cursor; None for forms such as DESCRIBE FUNCTION."""
    if not (cursor.take("DESCRIBE") or cursor.take("DESC")):
        return None
    cursor.take("TABLE")
    if cursor.at_any(*_OTHER_OBJECTS) and cursor.peek(1).is_name:
        return None
    extended = cursor.take("EXTENDED") or cursor.take("FORMATTED")
    if not cursor.peek().is_name or cursor.at_any("SELECT", "WITH", "VALUES", "FROM"):
        return None
    name = cursor.name("the name of a table")
    # a column, a partition or AS JSON follows
    return Describe(name, extended) if cursor.at_end else None


def parse_call(cursor: Cursor) -> Call:
    """Return the parsed CALL statement at the cursor.

    Raises:
        StatementError: A part is missing, invalid or superfluous, or an argument occurs twice.
    """
    cursor.expect("CALL")
    procedure = cursor.name("the name of a procedure")
    cursor.expect_symbol("(")
    arguments: list[Argument] = []
    while not cursor.at_symbol(")"):
        name = None
        if cursor.peek().is_name and cursor.at_symbol("=>", 1):
            name = cursor.next().value.lower()
            cursor.next()
        value = cursor.until(what="the value of an argument", symbols=(",",))
        if name is not None and any(each.name == name for each in arguments):
            raise value.error(f"argument '{name}' occurs twice; give it once")
        arguments.append(Argument(name, value))
        if not cursor.take_symbol(","):
            break
    cursor.expect_symbol(")")
    cursor.expect_end()
    return Call(procedure, tuple(arguments))
