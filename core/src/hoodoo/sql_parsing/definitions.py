"""Statements that define, change and describe tables, and calls of procedures."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from hoodoo.sql_parsing.statements import PartitionValue
from hoodoo.sql_text.fragment import Fragment, Name

__all__ = [
    "AddColumns",
    "AddedColumn",
    "AlterColumn",
    "Argument",
    "Call",
    "ChangePartitions",
    "CommentColumn",
    "CreateIndex",
    "CreateTable",
    "CreateView",
    "Describe",
    "DropColumns",
    "DropIndex",
    "DropTable",
    "MoveColumn",
    "Refused",
    "RelaxColumn",
    "RenameColumn",
    "RenameTable",
    "SetProperties",
    "ShowCreate",
    "ShowIndexes",
    "ShowPartitions",
    "ShowProperties",
    "TruncateTable",
    "UnsetProperties",
]


@frozen
class CreateTable:
    """Statement CREATE TABLE or REPLACE TABLE, with or without a query, or CREATE TEMPORARY VIEW ... USING.

    Attributes:
        name: The name of the table.
        provider: The word after USING in lower case; None if absent.
        replaces: Whether the statement has OR REPLACE, or begins with REPLACE.
        if_not_exists: Whether an existing table remains unchanged.
        is_temporary: Whether the name is registered for the session only (CREATE TEMPORARY VIEW or TABLE).
        columns: The text of the list of columns; None if absent.
        partition_by: The names of the partition columns.
        partition_columns: The text of partition columns with types (`PARTITIONED BY (day STRING)`); None if absent.
        location: The path after LOCATION; None if absent.
        comment: The text after COMMENT; None if absent.
        properties: The entries of TBLPROPERTIES and OPTIONS.
        query: The query after AS; None if absent.
    """

    name: Name
    provider: str | None
    replaces: bool = False
    if_not_exists: bool = False
    is_temporary: bool = False
    columns: Fragment | None = None
    partition_by: tuple[str, ...] = ()
    partition_columns: Fragment | None = None
    location: str | None = None
    comment: str | None = None
    properties: Mapping[str, str] = field(factory=dict)
    query: Fragment | None = None


@frozen
class CreateView:
    """Statement CREATE TEMPORARY VIEW ... AS.

    Attributes:
        name: The name of the view.
        query: The query after AS.
        replaces: Whether the statement has OR REPLACE.
        columns: The names of the columns; None if absent.
    """

    name: Name
    query: Fragment
    replaces: bool = False
    columns: tuple[Name, ...] | None = None


@frozen
class DropTable:
    """Statement DROP TABLE; `if_exists` and `purge` are true if it has the words IF EXISTS and PURGE."""

    name: Name
    if_exists: bool = False
    purge: bool = False


@frozen
class TruncateTable:
    """Statement TRUNCATE TABLE; `partition` is None for all rows."""

    name: Name
    partition: tuple[PartitionValue, ...] | None = None


@frozen
class AddedColumn:
    """Column or field in ADD COLUMNS.

    Attributes:
        column: The name; that of a field has dots.
        definition: The type and the clauses after it, without FIRST and AFTER, as they are written.
        after: The name after AFTER; "" for FIRST, None without a place.
    """

    column: Name
    definition: Fragment
    after: str | None = None


@frozen
class AddColumns:
    """Statement ALTER TABLE ... ADD COLUMNS; `columns` is the text of the list, and `added` has each column."""

    name: Name
    columns: Fragment
    added: tuple[AddedColumn, ...]


@frozen
class AlterColumn:
    """Statement ALTER TABLE ... ALTER COLUMN ... TYPE, or CHANGE COLUMN.

    Attributes:
        name: The name of the table.
        column: The name of the column; that of a field has dots.
        type: The text of the new type.
        comment: The new comment; None if the statement has none.
    """

    name: Name
    column: Name
    type: Fragment
    comment: str | None = None


@frozen
class CommentColumn:
    """Statement ALTER TABLE ... ALTER COLUMN ... COMMENT."""

    name: Name
    column: Name
    comment: str


@frozen
class MoveColumn:
    """Statement ALTER TABLE ... ALTER COLUMN ... AFTER, or FIRST, for which `after` is ""."""

    name: Name
    column: Name
    after: str


@frozen
class RelaxColumn:
    """Statement ALTER TABLE ... ALTER COLUMN ... DROP NOT NULL."""

    name: Name
    column: Name


@frozen
class RenameColumn:
    """Statement ALTER TABLE ... RENAME COLUMN."""

    name: Name
    column: Name
    new_name: Name


@frozen
class DropColumns:
    """Statement ALTER TABLE ... DROP COLUMN, or DROP COLUMNS; with `tolerant`, columns may be missing."""

    name: Name
    columns: tuple[Name, ...]
    tolerant: bool


@frozen
class RenameTable:
    """Statement ALTER TABLE ... RENAME TO."""

    name: Name
    new_name: Name


@frozen
class SetProperties:
    """Statement ALTER TABLE ... SET TBLPROPERTIES."""

    name: Name
    properties: Mapping[str, str]


@frozen
class UnsetProperties:
    """Statement ALTER TABLE ... UNSET TBLPROPERTIES."""

    name: Name
    keys: tuple[str, ...]
    if_exists: bool = False


@frozen
class ChangePartitions:
    """Statement ALTER TABLE ... ADD PARTITION or DROP PARTITION.

    Attributes:
        name: The name of the table.
        partitions: The entries of each clause PARTITION.
        drops: Whether the partitions are dropped.
        tolerant: Whether the statement has IF EXISTS or IF NOT EXISTS.
    """

    name: Name
    partitions: tuple[tuple[PartitionValue, ...], ...]
    drops: bool
    tolerant: bool = False


@frozen
class Refused:
    """Statement that is not supported; `name` is its table, and `reason` states the cause and the alternative."""

    name: Name
    at: Fragment
    reason: str


@frozen
class ShowCreate:
    """Statement SHOW CREATE TABLE."""

    name: Name


@frozen
class ShowPartitions:
    """Statement SHOW PARTITIONS; `partition` is None for all partitions."""

    name: Name
    partition: tuple[PartitionValue, ...] | None = None


@frozen
class ShowProperties:
    """Statement SHOW TBLPROPERTIES; `key` is the one to show, None for all."""

    name: Name
    key: str | None = None


@frozen
class Describe:
    """Statement DESCRIBE TABLE, or SHOW COLUMNS, for which `names_only` is true.

    `extended` is true if DESCRIBE has the word EXTENDED or FORMATTED.
    """

    name: Name
    extended: bool = False
    names_only: bool = False


@frozen
class CreateIndex:
    """Statement CREATE INDEX.

    Attributes:
        name: The name of the table.
        index: The name of the index.
        kind: The word after USING in lower case; None if absent.
        columns: The columns; () if absent.
        options: The text of the clause OPTIONS, or of the options of a column; None if absent.
        if_not_exists: Whether an existing index remains unchanged.
    """

    name: Name
    index: Name
    kind: str | None = None
    columns: tuple[Name, ...] = ()
    options: Fragment | None = None
    if_not_exists: bool = False


@frozen
class DropIndex:
    """Statement DROP INDEX."""

    name: Name
    index: Name
    if_exists: bool = False


@frozen
class ShowIndexes:
    """Statement SHOW INDEXES."""

    name: Name


@frozen
class Argument:
    """Argument of a procedure: its name in lower case, or None if it is given by position, and its expression."""

    name: str | None
    value: Fragment


@frozen
class Call:
    """Statement CALL, which runs a procedure."""

    procedure: Name
    arguments: tuple[Argument, ...]
