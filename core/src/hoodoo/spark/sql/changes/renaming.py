"""ALTER TABLE of the names of columns and of fields of structs: RENAME COLUMN and DROP COLUMN."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import evolve

from hoodoo.merge.required_columns import needed_columns
from hoodoo.metadata_table.partition_kind import PartitionKind, kind_of
from hoodoo.plugin import default_catalogue
from hoodoo.properties.property_keys import CDC_ENABLED, CREATE_SCHEMA, TABLE_NAME
from hoodoo.reading.schema.stored_names import fixed_columns
from hoodoo.schema.column_ids import ColumnsChange
from hoodoo.schema.evolution import changed_columns
from hoodoo.spark.spark_types import spark_schema
from hoodoo.spark.sql.changes.columns import committed
from hoodoo.spark.sql.changes.field_paths import FieldPath, field_path, struct_path
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

__all__ = ["changed", "check_setting", "drop_columns", "records_changes", "rename_column"]

_BY_NAME = (
    PartitionKind.COLUMN_STATS,
    PartitionKind.PARTITION_STATS,
    PartitionKind.SECONDARY_INDEX,
    PartitionKind.EXPRESSION_INDEX,
)


def rename_column(context: Context, target: NamedTable, statement: d.RenameColumn) -> DataFrame:
    """Rename a column, or a field of a struct, by a commit without rows.

    Files keep the old name, and readers find the column by its id.

    Do nothing if the column has the name already.

    Raises:
        StatementError: `hoodie.schema.on.read.enable` is not true, the column is missing, the new name is taken or has
            dots, or the use of the column does not permit a new name.
        HoodooError: As in `hoodoo.write`.
    """
    check_setting(
        context,
        target,
        statement.column,
        "a column cannot be renamed: the files of the table have the old name, and readers without schema-on-read find "
        "no values under the new one; add the new column and copy the values with UPDATE",
    )
    table = target.table(context.spark)
    found = _changeable(table, target, statement.column)
    new = statement.new_name
    if len(new.parts) > 1:
        raise new.at.error(f"'{new}' has dots; a column stays in its place, so give its new name alone")
    if new.parts[0] == found.name:
        return empty_frame(context.spark)
    there = found.sibling(new.parts[0])
    if there not in (None, found.name):
        what = f"struct '{found.above[:-1]}' has a field" if found.above else "the table has a column"
        raise new.at.error(f"{what} '{new}' already; choose another name", code="column")
    return changed(context, target, table, ColumnsChange({found.path: new.parts[0]}))


def drop_columns(context: Context, target: NamedTable, statement: d.DropColumns) -> DataFrame:
    """Drop columns, or fields of structs, by a commit without rows.

    Files keep them, and a later column of the same name has another id.

    Raises:
        StatementError: `hoodie.schema.on.read.enable` is not true, a column is missing and the statement lacks IF
            EXISTS, the use of a column forbids the change, or the table or a struct would have no column or field left.
        HoodooError: As in `hoodoo.write`.
    """
    check_setting(
        context,
        target,
        statement.columns[0],
        "a column cannot be dropped: the files of the table keep it, and readers without schema-on-read find its "
        "values in a later column of the same name; leave it out of queries, or set it to NULL with UPDATE",
    )
    table = target.table(context.spark)
    named = [column for column in statement.columns if not (statement.tolerant and _is_missing(table, column))]
    if not named:
        return empty_frame(context.spark)
    found = [(column, _changeable(table, target, column)) for column in named]
    dropped = {each.path for _, each in found}
    for column, each in found:
        if {each.above + name for name in each.siblings} <= dropped:
            what = (
                f"struct '{each.above[:-1]}' keeps at least one field; drop the whole column"
                if each.above
                else ("a table keeps at least one column; DROP TABLE removes the table")
            )
            raise column.at.error(what, code="refused")
    return changed(context, target, table, ColumnsChange(dropped=tuple(sorted(dropped))))


def _is_missing(table: Table, column: Name) -> bool:
    """Return whether a table has no such column, or the struct no such field."""
    if len(column.parts) > 1 and _is_missing(table, evolve(column, parts=column.parts[:-1])):
        return True
    _, fields = struct_path(table.schema, column)
    return column.parts[-1].lower() not in {name.lower() for name in fields}


def check_setting(context: Context, target: NamedTable, column: Name, reason: str) -> None:
    """Raise `StatementError` with a reason unless `hoodie.schema.on.read.enable` is true.

    After the change all readers of the table need this setting, as in Hudi.
    """
    if target.given(context.spark).statement.get(SCHEMA_ON_READ, "false").lower() != "true":
        raise column.at.error(
            f"{reason}; or SET {SCHEMA_ON_READ} = true, if all readers of the table are hoodoo, or Hudi with the same "
            "setting",
            code="refused",
        )


def _changeable(table: Table, target: NamedTable, column: Name) -> FieldPath:
    """Return the column or field of a name. Raise `StatementError` if it is missing, or its name must not change."""
    found = field_path(table.schema, column)
    use = _use(table, target, found.path)
    if use is not None:
        raise column.at.error(
            f"column '{found.path}' cannot be renamed or dropped: {use}; create a table with AS SELECT", code="refused"
        )
    return found


def _use(table: Table, target: NamedTable, path: str) -> str | None:
    """Return the reason why the name of a column or field must not change; None if it can be renamed or dropped."""
    properties = table.properties
    if any(fixed == path or fixed.startswith(f"{path}.") for fixed in fixed_columns(properties)):
        return "it is or contains a column of the keys, the partitions or the ordering values"
    word = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(path)}(?![A-Za-z0-9_])")
    others = {key: value for key, value in properties.items() if key not in (CREATE_SCHEMA, TABLE_NAME)}
    for key, value in {**target.options, **others}.items():
        if word.search(str(value)):
            return f"its name occurs in the value of property '{key}' of the table"
    rule = read_rule(properties, default_catalogue())
    if rule.whole_versions and path.partition(".")[0] in needed_columns(rule, table.schema):
        return "the merge rule of the table reads it"
    if records_changes(table):
        return f"the table records changes ({CDC_ENABLED}), and older changes have its name"
    if any(kind_of(each) in _BY_NAME for each in properties.metadata_partitions):
        return (
            "the metadata table, which a write with hoodie.metadata.enable = false removes, has statistics or indexes "
            "by the names of columns"
        )
    return None


def records_changes(table: Table) -> bool:
    """Return whether the commits of a table log the changes of rows for CDC queries."""
    return table.properties.get(CDC_ENABLED, "false").lower() == "true"


def changed(context: Context, target: NamedTable, table: Table, change: ColumnsChange) -> DataFrame:
    """Write a commit without rows that changes columns, and return its numbers as one row.

    If the catalogue stores the name of the table, its description of the columns is changed as well.
    """
    columns = spark_schema(changed_columns(table.schema, change))
    done = committed(context, target, table, columns, change)
    if target.place is NamePlace.CATALOG:
        catalogue.replace_columns(context.spark, target, columns)
    return done
