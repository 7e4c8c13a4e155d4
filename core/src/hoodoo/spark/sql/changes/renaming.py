"""ALTER TABLE ... RENAME COLUMN and DROP COLUMN."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hoodoo.merge.required_columns import needed_columns
from hoodoo.metadata_table.partition_kind import PartitionKind, kind_of
from hoodoo.plugin import default_catalogue
from hoodoo.properties.property_keys import CDC_ENABLED, CREATE_SCHEMA, TABLE_NAME
from hoodoo.reading.schema.stored_names import fixed_columns
from hoodoo.schema.column_ids import ColumnsChange
from hoodoo.schema.evolution import changed_columns
from hoodoo.spark.spark_types import spark_schema
from hoodoo.spark.sql.changes.columns import column_of, committed
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.results import empty_frame
from hoodoo.spark.sql.session_options import SCHEMA_ON_READ
from hoodoo.spark.sql.tables import catalogue
from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace
from hoodoo.sql_parsing import definitions as d
from hoodoo.sql_text.fragment import Name
from hoodoo.table import Table
from hoodoo.table_rules.reader_rule import read_rule

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["drop_columns", "rename_column"]

_BY_NAME = (
    PartitionKind.COLUMN_STATS,
    PartitionKind.PARTITION_STATS,
    PartitionKind.SECONDARY_INDEX,
    PartitionKind.EXPRESSION_INDEX,
)


def rename_column(context: Context, target: NamedTable, statement: d.RenameColumn) -> DataFrame:
    """Rename a column by a commit without rows. Files keep the old name, and readers find the column by its id.

    Raises:
        StatementError: The setting is not true, or the column or the table does not permit it.
    """
    _check_setting(
        context,
        target,
        statement.column,
        "a column cannot be renamed: the files of the table have the old name, and readers without schema-on-read find "
        "no values under the new one. Add the new column and copy the values with UPDATE",
    )
    table = target.table(context.spark)
    name = _changeable(table, target, statement.column)
    new, there = statement.new_name, {each.lower() for each in table.schema.names}
    if len(new.parts) > 1:
        raise new.at.error(f"'{new}' has dots; a column stays at the top level, so give its new name alone")
    if new.parts[0] == name:
        return empty_frame(context.spark)
    if new.parts[0].lower() in there - {name.lower()}:
        raise new.at.error(f"the table has a column '{new}' already; choose another name", code="column")
    return _changed(context, target, table, ColumnsChange({name: new.parts[0]}))


def drop_columns(context: Context, target: NamedTable, statement: d.DropColumns) -> DataFrame:
    """Drop columns by a commit without rows. Files keep them, and a later column of the same name has another id.

    Raises:
        StatementError: The setting is not true, or a column or the table does not permit it.
    """
    _check_setting(
        context,
        target,
        statement.columns[0],
        "a column cannot be dropped: the files of the table keep it, and readers without schema-on-read find its "
        "values in a later column of the same name. Leave it out of queries, or set it to NULL with UPDATE",
    )
    table = target.table(context.spark)
    there = {name.lower() for name in table.schema.names}
    named = [
        column
        for column in statement.columns
        if not (statement.tolerant and len(column.parts) == 1 and column.parts[0].lower() not in there)
    ]
    if not named:
        return empty_frame(context.spark)
    dropped = [_changeable(table, target, column) for column in named]
    if not set(table.schema.names) - set(dropped):
        raise statement.columns[0].at.error("a table keeps at least one column; DROP TABLE removes the table")
    return _changed(context, target, table, ColumnsChange({}, tuple(dict.fromkeys(dropped))))


def _check_setting(context: Context, target: NamedTable, column: Name, reason: str) -> None:
    """Raise unless the setting is true: all readers of the table then need it, as in Hudi."""
    if target.given(context.spark).statement.get(SCHEMA_ON_READ, "false").lower() != "true":
        raise column.at.error(
            f"{reason}; or SET {SCHEMA_ON_READ} = true, if all readers of the table are hoodoo, or Hudi with the same "
            "setting",
            code="refused",
        )


def _changeable(table: Table, target: NamedTable, column: Name) -> str:
    """Return the name of a column that may be renamed or dropped."""
    if len(column.parts) > 1:
        raise column.at.error(
            f"'{column}' is a field of a column, and fields are found by their names; create a table with AS SELECT",
            code="refused",
        )
    name: str = column_of(spark_schema(table.schema), column).name
    use = _use(table, target, name)
    if use is not None:
        raise column.at.error(
            f"column '{name}' cannot be renamed or dropped: {use}; create a table with AS SELECT", code="refused"
        )
    return name


def _use(table: Table, target: NamedTable, name: str) -> str | None:
    """Return a clause about a use of the column's name that prevents its change; None if there is none."""
    properties = table.properties
    if name in fixed_columns(properties):
        return "it is a column of the keys, the partitions or the ordering values"
    word = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])")
    others = {key: value for key, value in properties.items() if key not in (CREATE_SCHEMA, TABLE_NAME)}
    for key, value in {**target.options, **others}.items():
        if word.search(str(value)):
            return f"the property {key} of the table has its name"
    rule = read_rule(properties, default_catalogue())
    if rule.whole_versions and name in needed_columns(rule, table.schema):
        return "the merge rule of the table reads it"
    if properties.get(CDC_ENABLED, "false").lower() == "true":
        return f"the table records changes ({CDC_ENABLED}), with the names of their time"
    if any(kind_of(each) in _BY_NAME for each in properties.metadata_partitions):
        return (
            "the metadata table has statistics or indexes by the names of columns; a write with "
            "hoodie.metadata.enable = false removes the metadata table"
        )
    return None


def _changed(context: Context, target: NamedTable, table: Table, change: ColumnsChange) -> DataFrame:
    columns = spark_schema(changed_columns(table.schema, change))
    done = committed(context, target, table, columns, change)
    if target.place is NamePlace.CATALOG:
        catalogue.replace_columns(context.spark, target, columns)
    return done
