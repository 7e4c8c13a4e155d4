"""Definition of a new table: the options of its properties, and its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from hoodoo.errors import OptionError, StatementError
from hoodoo.options import IndexOptions, KeyOptions, RuleOptions, TableOptions, parse
from hoodoo.options.groups import ALL_GROUPS
from hoodoo.options.parsing.declare import keys_of
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.table_properties import PATHS, SQL_NAMES, without_free
from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace
from hoodoo.sql_parsing.definitions import CreateTable
from hoodoo.sql_text.fragment import Fragment

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["STORED", "Definition", "columns_of_text", "definition_of"]

_TYPES = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}


def _stored_keys() -> frozenset[str]:
    import attrs

    groups = (TableOptions, KeyOptions, RuleOptions, IndexOptions)
    return frozenset(key.lower() for group in groups for field in attrs.fields(group) for key in keys_of(field))


STORED = _stored_keys()
"""Keys of the options that a table stores itself, in lower case."""


@frozen
class Definition:
    """Definition of a table by a CREATE TABLE statement.

    Attributes:
        options: The options of the write that creates the table.
        kept: Options that the place of the name keeps, because a table does not store them.
        columns: The columns; None if a query or the table defines them.
    """

    options: Mapping[str, Any]
    kept: Mapping[str, Any]
    columns: StructType | None


def definition_of(context: Context, statement: CreateTable, target: NamedTable) -> Definition:
    """Return the definition of a table in a statement.

    Raises:
        StatementError: A column is invalid or missing, or a property cannot be stored for a path.
        OptionError: A property resembles an option but is not one, an option has an invalid value, or two properties
            contradict each other.
    """
    given = options_of(statement)
    stored = {key: value for key, value in given.items() if key.lower() in STORED}
    kept = {key: value for key, value in given.items() if key.lower() not in STORED}
    if kept and target.place is NamePlace.PATH:
        raise statement.name.at.error(
            f"a path keeps no options, and the table does not store {', '.join(map(repr, sorted(kept)))}; create the "
            "table with a name, or set the options in the session with SET"
        )
    lower = {key.lower() for key in stored}
    if not lower & _keys_of(TableOptions, "table_name"):
        stored["table_name"] = target.parts[-1] if target.parts else _last_folder(target.path)
    if target.parts and not lower & _keys_of(TableOptions, "database"):
        stored["database"] = target.parts[0]
    if statement.partition_by and not lower & _keys_of(KeyOptions, "partition_by"):
        stored["partition_by"] = ",".join(statement.partition_by)
    if not lower & _keys_of(KeyOptions, "hive_style"):
        # as in Hudi's SQL
        stored["hive_style"] = "true"
    return Definition(stored, kept, _columns(context, statement))


def _last_folder(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or "table"


def _keys_of(group: type, name: str) -> frozenset[str]:
    import attrs

    return frozenset(key.lower() for key in keys_of(getattr(attrs.fields(group), name)))


def options_of(statement: CreateTable) -> dict[str, Any]:
    """Return the entries of TBLPROPERTIES and OPTIONS except paths, by option or key.

    Raise `OptionError` if one is invalid or probably misspelt, or two contradict each other.
    """
    found: dict[str, Any] = {}
    for key, value in statement.properties.items():
        if key.lower() in PATHS:
            continue
        option = SQL_NAMES.get(key.lower(), key)
        if option == "table_type":
            value = _TYPES.get(value.lower(), value)
        if found.setdefault(option, value) != value:
            raise OptionError(f"property '{key}' and another one set option '{option}' to different values; remove one")
    parse(without_free(found), ALL_GROUPS)
    return found


def _columns(context: Context, statement: CreateTable) -> StructType | None:
    if statement.columns is None:
        return None
    text = statement.columns.sql
    if statement.partition_columns is not None:
        text += ", " + statement.partition_columns.sql
    columns = columns_of_text(context, text, statement.columns)
    lower = {field.name.lower() for field in columns.fields}
    missing = [name for name in statement.partition_by if name.lower() not in lower]
    if missing:
        raise statement.columns.error(
            f"PARTITIONED BY names '{missing[0]}', and the table has no such column; define it", code="column"
        )
    return with_partition_columns_last(columns, statement.partition_by)


def with_partition_columns_last(columns: StructType, partition_by: tuple[str, ...]) -> StructType:
    """Return the columns in the order of Spark's tables: partition columns are the last ones."""
    from pyspark.sql.types import StructType

    order = [name.lower() for name in partition_by]
    last = sorted((f for f in columns.fields if f.name.lower() in order), key=lambda f: order.index(f.name.lower()))
    return StructType([field for field in columns.fields if field.name.lower() not in order] + last)


def columns_of_text(context: Context, text: str, at: Fragment) -> StructType:
    """Return the columns of a list of definitions. Raise `StatementError` if it is invalid or has a name twice."""
    from pyspark.errors import PySparkException

    try:
        columns: StructType = context.spark.createDataFrame([], text).schema
    except PySparkException as error:
        raise at.error(
            f"Spark cannot parse the columns: {str(error).strip().splitlines()[0]}", code="syntax"
        ) from error
    counts = Counter(name.lower() for name in columns.names)
    for name in columns.names:
        if counts[name.lower()] > 1:
            raise at.error(f"column '{name}' occurs twice; rename one of them", code="column_twice")
    return columns


def check_same_columns(columns: StructType, stored: StructType, statement: CreateTable, what: str) -> None:
    """Raise `StatementError` if names or types of columns differ from those of an existing table.

    `what` is the beginning of the message.
    """
    wanted = {field.name.lower(): field.dataType.simpleString() for field in columns.fields}
    there = {field.name.lower(): field.dataType.simpleString() for field in stored.fields}
    differing = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
    if differing:
        shown = "; ".join(
            f"'{name}' is {wanted.get(name, 'missing')} in the statement and {there.get(name, 'missing')} in the table"
            for name in differing
        )
        raise _at(statement).error(f"{what}: {shown}; correct the columns, or leave them out", code="columns_differ")


def _at(statement: CreateTable) -> Fragment:
    return statement.columns or statement.query or statement.name.at


def refuse(statement: CreateTable, message: str) -> StatementError:
    """Return an error at the name of the table."""
    return statement.name.at.error(message, code="refused")
