"""Parser of ALTER TABLE."""

from __future__ import annotations

from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.definitions import (
    AddColumns,
    AddedColumn,
    AlterColumn,
    ChangePartitions,
    CommentColumn,
    DropColumns,
    MoveColumn,
    Refused,
    RelaxColumn,
    RenameColumn,
    RenameTable,
    SetProperties,
    UnsetProperties,
)
from hoodoo.sql_parsing.grammar.common import partition_clause, properties, property_key
from hoodoo.sql_parsing.statements import PartitionValue
from hoodoo.sql_text.fragment import Name
from hoodoo.sql_text.tokens import Kind

__all__ = ["Alteration", "parse_alter"]

Alteration = (
    AddColumns
    | AlterColumn
    | ChangePartitions
    | CommentColumn
    | DropColumns
    | MoveColumn
    | Refused
    | RelaxColumn
    | RenameColumn
    | RenameTable
    | SetProperties
    | UnsetProperties
)

_CHANGE_NAME = (
    "CHANGE COLUMN cannot rename a column, and needs the same name twice before a type, as in CHANGE COLUMN name name "
    "BIGINT; to rename the column, write RENAME COLUMN name TO new_name"
)
_OTHERS = {
    ("SET", "LOCATION"): "the files cannot be moved by a statement; move the folder, then DROP TABLE and CREATE TABLE "
    "with the new LOCATION",
    ("SET", "SERDE"): "a Hudi table has no SerDe; remove the statement",
    ("SET", "SERDEPROPERTIES"): "a Hudi table has no SerDe; remove the statement",
    ("RECOVER", "PARTITIONS"): "the partitions of a Hudi table are on its timeline, and need no recovery; remove "
    "the statement",
    ("REPLACE", "COLUMNS"): "the columns of stored files cannot be replaced; create another table with AS SELECT",
    ("CLUSTER", "BY"): "CLUSTER BY is not supported; remove the statement",
}


def parse_alter(cursor: Cursor) -> Alteration | None:
    """Return the parsed ALTER TABLE statement at the cursor; None for ALTER of another object, such as ALTER VIEW.

    The result for an unsupported form is a `Refused`.

    Raises:
        StatementError: A part is missing, invalid or superfluous, or a property or partition column occurs twice.
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
        return _refused(cursor, name, "this form of ALTER TABLE is not supported; docs/sql.md lists supported forms")
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
) -> AddColumns | AlterColumn | CommentColumn | DropColumns | MoveColumn | Refused | RelaxColumn | RenameColumn | None:
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


def _added(cursor: Cursor, name: Name) -> AddColumns:
    in_parentheses = cursor.at_symbol("(")
    index = cursor.index
    columns = cursor.inside() if in_parentheses else cursor.rest("the columns with their types")
    cursor.index = index
    cursor.take_symbol("(")
    added = [_added_column(cursor)]
    while cursor.take_symbol(","):
        added.append(_added_column(cursor))
    if in_parentheses:
        cursor.expect_symbol(")")
    return AddColumns(name, columns, tuple(added))


def _added_column(cursor: Cursor) -> AddedColumn:
    column = cursor.name("the name of a column")
    first, depth = cursor.index, 0
    while not cursor.at_end:
        token = cursor.peek()
        if depth == 0 and cursor.index > first and cursor.at_any("FIRST", "AFTER"):
            break
        if depth == 0 and token.is_symbol(",", ")"):
            break
        if token.kind is Kind.SYMBOL:
            depth += token.value.count("<") - token.value.count(">")
        cursor.skip_one()
    if cursor.index == first:
        raise cursor.error(f"the type of column '{column}' is expected here")
    definition = cursor.fragment(cursor.tokens[first].start, cursor.tokens[cursor.index - 1].end)
    return AddedColumn(column, definition, _place(cursor))


def _place(cursor: Cursor) -> str | None:
    """Return the place of a column: the name of the one before it, "" for the first place, None without a place."""
    if cursor.take("FIRST"):
        return ""
    return cursor.identifier("the name of a column").value if cursor.take("AFTER") else None


def _altered(cursor: Cursor, name: Name) -> AlterColumn | CommentColumn | MoveColumn | Refused | RelaxColumn:
    changes = cursor.at("CHANGE")
    cursor.next()
    cursor.take("COLUMN")
    column = cursor.name("the name of a column")
    if cursor.take("TYPE"):
        return _typed(cursor, name, column)
    is_action = cursor.at_any("COMMENT", "FIRST", "AFTER") or cursor.peek(1).upper == "NOT"
    if changes and cursor.peek().is_name and not is_action:
        at = cursor.peek()
        second = cursor.identifier("the name of the column")
        if second.value.lower() != column.parts[-1].lower():
            return Refused(name, cursor.fragment(at.start, at.end), _CHANGE_NAME)
        return _typed(cursor, name, column)
    if cursor.take("COMMENT"):
        return CommentColumn(name, column, cursor.string("the comment"))
    if (after := _place(cursor)) is not None:
        return MoveColumn(name, column, after)
    if cursor.take("DROP", "NOT", "NULL"):
        return RelaxColumn(name, column)
    return _refused(
        cursor,
        name,
        "this change of a column is not supported; use TYPE, COMMENT, FIRST, AFTER or DROP NOT NULL; defaults and "
        "SET NOT NULL are not part of the format's evolution, because stored rows may lack values",
    )


def _typed(cursor: Cursor, name: Name, column: Name) -> AlterColumn | Refused:
    type_ = cursor.until(("COMMENT",), ("FIRST",), ("AFTER",), what="the new type")
    comment = cursor.string("the comment") if cursor.take("COMMENT") else None
    if cursor.at_any("FIRST", "AFTER"):
        return _refused(
            cursor,
            name,
            "type and place cannot change in one statement; change the place with ALTER COLUMN name AFTER other",
        )
    return AlterColumn(name, column, type_, comment)


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
            return _refused(cursor, name, "a partition is a folder inside the table; leave LOCATION out")
        cursor.take_symbol(",")
    cursor.take("PURGE")
    return ChangePartitions(name, tuple(found), drops, tolerant)
