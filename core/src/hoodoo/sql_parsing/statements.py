"""Statements that read and write rows."""

from __future__ import annotations

import enum

from attrs import frozen

from hoodoo.sql_text.fragment import Fragment, Name

__all__ = [
    "Action",
    "Assignment",
    "Case",
    "Delete",
    "Insert",
    "Merge",
    "MergeClause",
    "MergeSource",
    "PartitionValue",
    "QueryStatement",
    "Update",
]


class Case(enum.Enum):
    """Rows to which a clause of MERGE applies."""

    MATCHED = "MATCHED"
    NOT_MATCHED = "NOT MATCHED"
    NOT_MATCHED_BY_SOURCE = "NOT MATCHED BY SOURCE"


class Action(enum.Enum):
    """Change that a clause of MERGE makes."""

    UPDATE = "UPDATE"
    UPDATE_ALL = "UPDATE SET *"
    DELETE = "DELETE"
    INSERT = "INSERT"
    INSERT_ALL = "INSERT *"


@frozen
class Assignment:
    """Column with its new value."""

    column: Name
    value: Fragment


@frozen
class MergeClause:
    """Clause `WHEN ... THEN ...` of MERGE.

    Attributes:
        case: The rows to which the clause applies.
        action: The change that it makes to these rows.
        at: The text from WHEN to the first word of the action.
        condition: The condition after AND; None if absent.
        assignments: The columns that UPDATE or INSERT names, with their values, in order; () for other actions.
    """

    case: Case
    action: Action
    at: Fragment
    condition: Fragment | None = None
    assignments: tuple[Assignment, ...] = ()


@frozen
class MergeSource:
    """Source of MERGE.

    Attributes:
        relation: The text after USING with its alias: a table, a query in parentheses, a table function.
        alias: The name of its rows; None if absent.
        ctes: The clause WITH before the statement, which the source may use; None if absent.
    """

    relation: Fragment
    alias: str | None
    ctes: Fragment | None = None


@frozen
class Merge:
    """Statement MERGE INTO; `alias` is that of the target, None if absent."""

    target: Name
    alias: str | None
    source: MergeSource
    condition: Fragment
    clauses: tuple[MergeClause, ...]
    evolves_schema: bool = False


@frozen
class Update:
    """Statement UPDATE; `condition` is None for all rows, and `alias` is None if absent."""

    target: Name
    alias: str | None
    assignments: tuple[Assignment, ...]
    condition: Fragment | None = None


@frozen
class Delete:
    """Statement DELETE FROM; `condition` is None for all rows, and `alias` is None if absent."""

    target: Name
    alias: str | None
    condition: Fragment | None = None


@frozen
class PartitionValue:
    """Entry of a clause PARTITION: a column, and its value as an expression; None if the rows contain the value."""

    column: Name
    value: Fragment | None = None


@frozen
class Insert:
    """Statement INSERT INTO or INSERT OVERWRITE.

    Attributes:
        target: The name of the table.
        query: The query, or VALUES, with the rows.
        overwrites: Whether stored rows are replaced (INSERT OVERWRITE).
        partition: The entries of the clause PARTITION; None if absent.
        columns: The list of columns; None if absent.
        by_name: Whether columns are assigned by the names in the query (BY NAME) and not by position.
        ctes: The clause WITH before the statement; None if absent.
    """

    target: Name
    query: Fragment
    overwrites: bool = False
    partition: tuple[PartitionValue, ...] | None = None
    columns: tuple[Name, ...] | None = None
    by_name: bool = False
    ctes: Fragment | None = None


@frozen
class QueryStatement:
    """Query: SELECT, WITH, FROM, VALUES, TABLE, EXPLAIN, or another statement that is not parsed further.

    Attributes:
        text: The whole statement.
        only_reads: Whether the statement is a query, so that tables in it can be replaced by DataFrames.
        head: The first key words, for messages.
    """

    text: Fragment
    only_reads: bool
    head: str
