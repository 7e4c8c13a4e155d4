"""Parser of ALTER TABLE."""

from __future__ import annotations

from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.definitions import (
    AddColumns,
    AlterColumn,
    ChangePartitions,
    CommentColumn,
    DropColumns,
    Refused,
    RenameColumn,
    RenameTable,
    SetProperties,
    UnsetProperties,
)
from hoodoo.sql_parsing.grammar.common import partition_clause, properties, property_key
from hoodoo.sql_parsing.statements import PartitionValue
from hoodoo.sql_text.fragment import Name

__all__ = ["Alteration", "parse_alter"]

Alteration = (
    AddColumns
    | AlterColumn
    | ChangePartitions
    | CommentColumn
    | DropColumns
    | Refused
    | RenameColumn
    | RenameTable
    | SetProperties
    | UnsetProperties
)

_CHANGE_NAME = (
    "a column cannot be renamed by CHANGE COLUMN, which changes its type; write RENAME COLUMN name TO new_name"
)
_POSITION = (
    "the place of a column cannot be chosen: the format appends new columns. Leave FIRST or AFTER out, and name the "
    "columns in queries"
)
_NESTED = (
    "a field cannot be added to a struct: readers of older files would miss it. Add a column, or create a table with "
    "AS SELECT"
)
_OTHERS = {
    ("SET", "LOCATION"): "the files cannot be moved by a statement; move the folder, then DROP TABLE and CREATE TABLE "
    "with the new LOCATION",
    ("SET", "SERDE"): "a Hudi table has no SerDe; remove the statement",
    ("SET", "SERDEPROPERTIES"): "a Hudi table has no SerDe; remove the statement",
    ("RECOVER", "PARTITIONS"): "the partitions of a Hudi table are on its timeline, and need no recovery",
    ("REPLACE", "COLUMNS"): "the columns of stored files cannot be replaced; create another table with AS SELECT",
    ("CLUSTER", "BY"): "CLUSTER BY is not supported; remove the statement",
}


def parse_alter(cursor: Cursor) -> Alteration | None:
    """Return the statement ALTER TABLE that is next; None for ALTER of another object, such as ALTER VIEW.

    Raises:
        StatementError: A part is missing.
    """
    cursor.expect("ALTER")
    if not cursor.take("TABLE"):
        return None
    name = cursor.name("the name of a table")
    found = _of_table(cursor, name) or _of_columns(cursor, name) or _of_partitions(cursor, name)
    if found is None:
        for words, reason in _OTHERS.items():
            if cursor.at(*words):
                return _refused(cursor, name, reason)
        return _refused(cursor, name, "this form of ALTER TABLE is not supported; docs/sql.md lists those that are")
    if not isinstance(found, Refused):
        cursor.expect_end()
    return found


def _refused(cursor: Cursor, name: Name, reason: str) -> Refused:
    token = cursor.peek()
    return Refused(name, cursor.fragment(token.start, token.end), reason)


def _of_table(cursor: Cursor, name: Name) -> RenameTable | SetProperties | UnsetProperties | None:
    if cursor.take("RENAME", "TO"):
        return RenameTable(name, cursor.name("the new name"))
    if cursor.take("SET", "TBLPROPERTIES"):
        return SetProperties(name, properties(cursor))
    if cursor.take("UNSET", "TBLPROPERTIES"):
        tolerant = cursor.take("IF", "EXISTS")
        cursor.expect_symbol("(")
        keys = [property_key(cursor)]
        while cursor.take_symbol(","):
            keys.append(property_key(cursor))
        cursor.expect_symbol(")")
        return UnsetProperties(name, tuple(keys), tolerant)
    return None


def _of_columns(
    cursor: Cursor, name: Name
) -> AddColumns | AlterColumn | CommentColumn | DropColumns | Refused | RenameColumn | None:
    if cursor.take("ADD", "COLUMNS") or cursor.take("ADD", "COLUMN"):
        return _added(cursor, name)
    if cursor.take("RENAME", "COLUMN"):
        column = cursor.name("the name of a column")
        cursor.expect("TO")
        return RenameColumn(name, column, cursor.name("the new name"))
    if cursor.take("DROP", "COLUMN") or cursor.take("DROP", "COLUMNS"):
        return _dropped(cursor, name)
    if cursor.at("ALTER") or cursor.at("CHANGE"):
        return _altered(cursor, name)
    return None


def _dropped(cursor: Cursor, name: Name) -> DropColumns:
    tolerant = cursor.take("IF", "EXISTS")
    in_parentheses = cursor.take_symbol("(")
    columns = [cursor.name("the name of a column")]
    while cursor.take_symbol(","):
        columns.append(cursor.name("the name of a column"))
    if in_parentheses:
        cursor.expect_symbol(")")
    return DropColumns(name, tuple(columns), tolerant)


def _added(cursor: Cursor, name: Name) -> AddColumns | Refused:
    in_parentheses = cursor.at_symbol("(")
    index = cursor.index
    columns = cursor.inside() if in_parentheses else cursor.rest("the columns with their types")
    end = cursor.index
    cursor.index = index + (1 if in_parentheses else 0)
    if cursor.at_symbol(".", 1):
        return _refused(cursor, name, _NESTED)
    while cursor.index < end:
        # FIRST as the name of a column is followed by its type
        at_end_of_item = cursor.at_symbol(",", 1) or cursor.at_symbol(")", 1) or cursor.index + 1 >= end
        if (cursor.at("FIRST") and at_end_of_item) or (
            cursor.at("AFTER") and cursor.peek(1).is_name and not _is_first(cursor)
        ):
            return _refused(cursor, name, _POSITION)
        if cursor.at_symbol(",") and cursor.at_symbol(".", 2):
            cursor.next()
            return _refused(cursor, name, _NESTED)
        cursor.next()
        if cursor.at_end:
            break
    cursor.index = end
    return AddColumns(name, columns)


def _is_first(cursor: Cursor) -> bool:
    """Return whether the next token begins a column."""
    return cursor.tokens[cursor.index - 1].value in ("(", ",") or cursor.tokens[cursor.index - 1].upper in (
        "COLUMN",
        "COLUMNS",
    )


def _altered(cursor: Cursor, name: Name) -> AlterColumn | CommentColumn | Refused:
    changes = cursor.at("CHANGE")
    cursor.next()
    cursor.take("COLUMN")
    column = cursor.name("the name of a column")
    if cursor.take("TYPE"):
        return _typed(cursor, name, column)
    if changes and cursor.peek().is_name and not cursor.at_any("COMMENT", "FIRST", "AFTER"):
        at = cursor.peek()
        second = cursor.identifier("the name of the column")
        if second.value.lower() != column.parts[-1].lower():
            return Refused(name, cursor.fragment(at.start, at.end), _CHANGE_NAME)
        return _typed(cursor, name, column)
    if cursor.take("COMMENT"):
        return CommentColumn(name, column, cursor.string("the comment"))
    if cursor.at_any("FIRST", "AFTER"):
        return _refused(cursor, name, _POSITION)
    return _refused(
        cursor,
        name,
        "only the type of a column and its comment can be changed (ALTER COLUMN name TYPE type); defaults and NOT NULL "
        "are not part of the format's evolution",
    )


def _typed(cursor: Cursor, name: Name, column: Name) -> AlterColumn | Refused:
    type_ = cursor.until(("COMMENT",), ("FIRST",), ("AFTER",), what="the new type")
    if not cursor.at_end:
        advice = "change the comment by a statement of its own: ALTER COLUMN name COMMENT 'text'"
        return _refused(cursor, name, _POSITION if cursor.at_any("FIRST", "AFTER") else advice)
    return AlterColumn(name, column, type_)


def _of_partitions(cursor: Cursor, name: Name) -> ChangePartitions | Refused | None:
    drops = cursor.at("DROP")
    if not (cursor.at("ADD") or drops):
        return None
    index = cursor.index
    cursor.next()
    tolerant = cursor.take("IF", "EXISTS") if drops else cursor.take("IF", "NOT", "EXISTS")
    if not cursor.at("PARTITION"):
        cursor.index = index
        return None
    found: list[tuple[PartitionValue, ...]] = []
    while (clause := partition_clause(cursor)) is not None:
        found.append(clause)
        if cursor.at("LOCATION"):
            return _refused(cursor, name, "a partition is a folder in that of the table; leave LOCATION out")
        cursor.take_symbol(",")
    cursor.take("PURGE")
    return ChangePartitions(name, tuple(found), drops, tolerant)
