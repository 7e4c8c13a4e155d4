"""Parts that several statements have: aliases, lists of names, PARTITION clauses, properties, WITH."""

from __future__ import annotations

from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.statements import Assignment, PartitionValue
from hoodoo.sql_text.fragment import Fragment, Name
from hoodoo.sql_text.tokens import Kind

__all__ = [
    "alias",
    "assignments",
    "common_table_expressions",
    "names_in_parentheses",
    "partition_clause",
    "properties",
    "property_key",
]

_NOT_ALIASES = ("USING", "ON", "SET", "WHERE", "WHEN", "SELECT", "VALUES", "PARTITION", "BY", "THEN", "REPLACE")


def alias(cursor: Cursor) -> str | None:
    """Return the alias at the cursor, with or without AS; None if absent.

    Raises:
        StatementError: AS is not followed by a name.
    """
    if cursor.take("AS"):
        return cursor.identifier("an alias").value
    token = cursor.peek()
    if token.is_name and token.upper not in _NOT_ALIASES:
        return cursor.next().value
    return None


def assignments(cursor: Cursor, *stops: tuple[str, ...]) -> tuple[Assignment, ...]:
    """Return assignments `column = value, ...` up to one of the key words, or up to the end of the statement.

    Raises:
        StatementError: Two assignments name one column, or an assignment is not complete.
    """
    found: list[Assignment] = []
    while True:
        column = cursor.name("the name of a column")
        if not (cursor.take_symbol("=") or cursor.take_symbol("==")):
            cursor.expect_symbol("=")
        value = cursor.until(*stops, what=f"the value of column '{column}'", symbols=(",",))
        found.append(Assignment(column, value))
        if not cursor.take_symbol(","):
            break
    check_distinct([each.column for each in found], "is assigned twice")
    return tuple(found)


def check_distinct(names: list[Name], problem: str) -> None:
    """Raise `StatementError` if two names are equal; case is ignored, as in Spark."""
    seen: set[str] = set()
    for name in names:
        if str(name).lower() in seen:
            raise name.at.error(f"column '{name}' {problem}; name it once", code="column_twice")
        seen.add(str(name).lower())


def names_in_parentheses(cursor: Cursor, what: str) -> tuple[Name, ...]:
    """Return the names of a list in parentheses.

    Raises:
        StatementError: A name occurs twice, or the list is not complete.
    """
    cursor.expect_symbol("(")
    names = [cursor.name(what)]
    while cursor.take_symbol(","):
        names.append(cursor.name(what))
    cursor.expect_symbol(")")
    check_distinct(names, "occurs twice in the list")
    return tuple(names)


def partition_clause(cursor: Cursor) -> tuple[PartitionValue, ...] | None:
    """Return the entries of a clause PARTITION (column [= value], ...); None if it is not next.

    Raises:
        StatementError: A column occurs twice, or an entry is not complete.
    """
    if not cursor.take("PARTITION"):
        return None
    cursor.expect_symbol("(")
    entries: list[PartitionValue] = []
    while True:
        column = cursor.name("a partition column")
        value = cursor.until(what="a value", symbols=(",",)) if cursor.take_symbol("=") else None
        entries.append(PartitionValue(column, value))
        if not cursor.take_symbol(","):
            break
    cursor.expect_symbol(")")
    check_distinct([entry.column for entry in entries], "occurs twice in PARTITION")
    return tuple(entries)


def properties(cursor: Cursor) -> dict[str, str]:
    """Return the entries of `(key = 'value', ...)`; keys are strings or names with dots.

    Raises:
        StatementError: A key occurs twice, or an entry is incomplete or invalid.
    """
    cursor.expect_symbol("(")
    found: dict[str, str] = {}
    while not cursor.at_symbol(")"):
        at = cursor.peek()
        key = property_key(cursor)
        if key in found:
            raise cursor.fragment(at.start, at.end).error(f"property '{key}' occurs twice; give it once")
        cursor.take_symbol("=")
        found[key] = _property_value(cursor, key)
        if not cursor.take_symbol(","):
            break
    cursor.expect_symbol(")")
    return found


def property_key(cursor: Cursor) -> str:
    """Return the key of a property: a string, or a name with dots. Raises `StatementError` if neither is next."""
    if cursor.peek().kind is Kind.STRING:
        return cursor.next().value
    return str(cursor.name("the key of a property"))


def _property_value(cursor: Cursor, key: str) -> str:
    sign = "-" if cursor.take_symbol("-") else ""
    token = cursor.peek()
    if token.kind is Kind.STRING and not sign:
        return cursor.next().value
    if token.kind is Kind.NUMBER or (token.upper in ("TRUE", "FALSE") and not sign):
        return sign + cursor.next().value
    raise cursor.error(f"the value of property '{key}' is expected here: a string, a number, TRUE or FALSE")


def common_table_expressions(cursor: Cursor) -> Fragment | None:
    """Step over a clause WITH, and return it; None if it is not next. Raises `StatementError` if a part is missing."""
    if not cursor.at("WITH"):
        return None
    first = cursor.next()
    cursor.take("RECURSIVE")
    while True:
        cursor.identifier("the name of a query")
        if cursor.at_symbol("("):
            cursor.skip_one()
        if cursor.take("MAX", "RECURSION", "LEVEL"):
            cursor.next()
        cursor.take("AS")
        if not cursor.at_symbol("("):
            cursor.expect_symbol("(")
        cursor.skip_one()
        if not cursor.take_symbol(","):
            break
    return cursor.fragment(first.start, cursor.tokens[cursor.index - 1].end)
