"""Statements ALTER TABLE that add fields to structs (ADD COLUMN s.f), place columns, or permit null in a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.properties.property_keys import CDC_ENABLED
from hoodoo.schema.column_ids import ColumnsChange
from hoodoo.spark.spark_types import arrow_schema
from hoodoo.spark.sql.changes.field_paths import field_path, struct_path
from hoodoo.spark.sql.changes.renaming import changed, check_setting, records_changes
from hoodoo.spark.sql.changes.table_definition import columns_of_text
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.results import empty_frame
from hoodoo.spark.sql.tables.named_table import NamedTable
from hoodoo.sql_parsing import definitions as d

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["add_placed_columns", "move_column", "relax_column"]


def add_placed_columns(context: Context, target: NamedTable, statement: d.AddColumns) -> DataFrame:
    """Add columns in chosen places, or fields of structs, by a commit without rows; they are null in stored rows.

    Raises:
        StatementError: `hoodie.schema.on.read.enable` is not true, a definition is invalid, a name is taken, a column
            is NOT NULL, a struct or a neighbour is missing, or a struct would get a field in a table that records
            changes.
        SchemaError: A Hudi table cannot have a column of such a type.
        HoodooError: As in `hoodoo.write`.
    """
    check_setting(
        context,
        target,
        statement.added[0].column,
        "a column cannot have a place, and a field cannot be added to a struct: readers without schema-on-read find "
        "fields in older files by their names; add a column without a place",
    )
    table = target.table(context.spark)
    text = ", ".join(f"c{place} {each.definition.sql}" for place, each in enumerate(statement.added))
    typed = columns_of_text(context, text, statement.columns)
    added: dict[str, pa.Field] = {}
    placed: dict[str, str] = {}
    for each, field, stored in zip(statement.added, typed.fields, arrow_schema(typed), strict=True):
        above, siblings = struct_path(table.schema, each.column)
        name = each.column.parts[-1]
        path = above + name
        there = {sibling.lower(): sibling for sibling in siblings}
        there |= {other.rpartition(".")[2].lower(): other.rpartition(".")[2] for other in added if _is_in(other, above)}
        if name.lower() in there:
            raise each.column.at.error(f"the table has a column '{path}' already; choose another name", code="column")
        if not field.nullable:
            raise each.definition.error(
                f"column '{path}' is NOT NULL, and stored rows have no value for it; leave NOT NULL out"
            )
        if above and records_changes(table):
            raise each.column.at.error(
                f"the table records changes ({CDC_ENABLED}), and older changes lack the field; add a column",
                code="refused",
            )
        if each.after and each.after.lower() not in there:
            raise each.column.at.error(
                f"there is no '{above}{each.after}' after which '{path}' can be placed; choose one of: "
                f"{', '.join(there.values())}",
                code="column",
            )
        added[path] = stored.with_name(name)
        if each.after is not None:
            placed[path] = there.get(each.after.lower(), "")
    return changed(context, target, table, ColumnsChange(added=added, placed=placed))


def move_column(context: Context, target: NamedTable, statement: d.MoveColumn) -> DataFrame:
    """Move a column, or a field of a struct, by a commit without rows. Do nothing if it is in the place already.

    Raises:
        StatementError: `hoodie.schema.on.read.enable` is not true, the column or its neighbour is missing, or the
            column is its own neighbour.
        HoodooError: As in `hoodoo.write`.
    """
    column = statement.column
    check_setting(
        context,
        target,
        column,
        "a column cannot be moved: Hudi keeps the order of columns with their ids; name the columns in queries",
    )
    table = target.table(context.spark)
    found = field_path(table.schema, column)
    after = found.sibling(statement.after) if statement.after else ""
    if after is None or after == found.name:
        others = ", ".join(name for name in found.siblings if name != found.name)
        raise column.at.error(
            f"there is no other '{found.above}{statement.after}' after which '{found.path}' can be placed"
            + (f"; choose one of: {others}" if others else ""),
            code="column",
        )
    place = found.siblings.index(found.name)
    if after == ("" if place == 0 else found.siblings[place - 1]):
        return empty_frame(context.spark)
    return changed(context, target, table, ColumnsChange(placed={found.path: after}))


def relax_column(context: Context, target: NamedTable, statement: d.RelaxColumn) -> DataFrame:
    """Permit null in a column, by a commit without rows. Do nothing if null is already permitted.

    Raises:
        StatementError: The column is missing, is a field of a struct, or belongs to the record key.
        HoodooError: As in `hoodoo.write`.
    """
    table, column = target.table(context.spark), statement.column
    found = field_path(table.schema, column)
    if found.above:
        raise column.at.error(
            f"'{found.path}' is a field of a struct, and the NOT NULL of fields cannot be dropped; create a table with "
            "AS SELECT",
            code="refused",
        )
    if found.field.nullable:
        return empty_frame(context.spark)
    if found.name in table.properties.record_key:
        raise column.at.error(
            f"'{found.path}' is a column of the record key, which is never null; leave it NOT NULL", code="refused"
        )
    return changed(context, target, table, ColumnsChange(nullable=(found.path,)))


def _is_in(path: str, above: str) -> bool:
    return path.rpartition(".")[0] == above[:-1]
