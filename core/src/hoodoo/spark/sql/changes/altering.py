"""Execution of ALTER TABLE. Names and properties of tables are changed here, columns and partitions elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoodoo.options import ConcurrencyOptions, parse
from hoodoo.options.groups import ALL_GROUPS
from hoodoo.plugin import default_catalogue
from hoodoo.properties import load_properties, property_keys, table_checksum, update_properties
from hoodoo.spark.sql.changes.adding_partitions import add_partitions
from hoodoo.spark.sql.changes.columns import add_columns, alter_column, comment_column
from hoodoo.spark.sql.changes.dropping import delete_partitions
from hoodoo.spark.sql.changes.renaming import drop_columns, rename_column
from hoodoo.spark.sql.changes.restructuring import add_placed_columns, move_column, relax_column
from hoodoo.spark.sql.changes.table_definition import STORED
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.results import empty_frame
from hoodoo.spark.sql.table_properties import SQL_NAMES, without_free
from hoodoo.spark.sql.tables import catalogue, places
from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace
from hoodoo.spark.sql.tables.names import resolve
from hoodoo.sql_parsing import definitions as d
from hoodoo.sql_text.fragment import Fragment
from hoodoo.txn import coordination_of, table_lock

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["run_alter"]


def run_alter(
    context: Context,
    target: NamedTable,
    statement: d.AddColumns
    | d.AlterColumn
    | d.ChangePartitions
    | d.CommentColumn
    | d.DropColumns
    | d.MoveColumn
    | d.Refused
    | d.RelaxColumn
    | d.RenameColumn
    | d.RenameTable
    | d.SetProperties
    | d.UnsetProperties,
) -> DataFrame:
    """Execute ALTER TABLE, if the format of the table allows the change.

    Raises:
        StatementError: The change is not possible; the message states the reason.
        OptionError: A property is unknown or invalid, or the table is named by its path, which keeps no properties.
        HoodooError: As in `hoodoo.write`.
    """
    if isinstance(statement, d.AddColumns):
        is_plain = all(len(each.column.parts) == 1 and each.after is None for each in statement.added)
        return (add_columns if is_plain else add_placed_columns)(context, target, statement)
    if isinstance(statement, d.MoveColumn):
        return move_column(context, target, statement)
    if isinstance(statement, d.RelaxColumn):
        return relax_column(context, target, statement)
    if isinstance(statement, d.AlterColumn):
        return alter_column(context, target, statement)
    if isinstance(statement, d.CommentColumn):
        return comment_column(context, target, statement)
    if isinstance(statement, d.RenameColumn):
        return rename_column(context, target, statement)
    if isinstance(statement, d.DropColumns):
        return drop_columns(context, target, statement)
    if isinstance(statement, d.ChangePartitions):
        return _change_partitions(context, target, statement)
    if isinstance(statement, d.RenameTable):
        return _rename(context, target, statement)
    if isinstance(statement, d.SetProperties):
        return _set_properties(context, target, statement)
    if isinstance(statement, d.UnsetProperties):
        return _unset_properties(context, target, statement)
    raise statement.at.error(statement.reason, code="refused")


def _change_partitions(context: Context, target: NamedTable, statement: d.ChangePartitions) -> DataFrame:
    if statement.drops:
        return delete_partitions(context, target, statement.partitions, tolerant=statement.tolerant)
    return add_partitions(context, target, statement)


def _rename(context: Context, target: NamedTable, statement: d.RenameTable) -> DataFrame:
    """Rename a table in the place that stores its name, and in `hoodie.properties` unless this place is the session."""
    spark, new = context.spark, statement.new_name
    if target.place is NamePlace.PATH:
        raise statement.name.at.error("a path has no name; create a name for it with CREATE TABLE", code="refused")
    parts = new.parts
    if target.place is not NamePlace.SESSION:
        parts = catalogue.qualified(spark, new.parts if len(new.parts) > 1 else (target.parts[0], *new.parts)) or ()
        if len(parts) != 2 or parts[0].lower() != target.parts[0].lower():
            raise new.at.error(f"a table stays in its database; write RENAME TO {target.parts[0]}.{new.parts[-1]}")
    elif len(parts) > 1:
        raise new.at.error("a temporary name has no database; give the name alone")
    if catalogue.is_known(spark, parts) or resolve(spark, parts) is not None:
        raise new.at.error(f"there is a table or view '{new}' already; choose another name", code="name")
    places.rename(spark, target, parts)
    if target.place is not NamePlace.SESSION:
        _rename_properties(context, target, parts[-1])
    return empty_frame(spark)


def _rename_properties(context: Context, target: NamedTable, name: str) -> None:
    """Change the name in `hoodie.properties`, as Hudi does, under the lock of the table."""
    storage = target.storage(context.spark)
    given = parse(
        target.given(context.spark).write,
        (ConcurrencyOptions,),
        reject_unknown=False,
    )
    coordination = coordination_of(storage, load_properties(storage), given, default_catalogue())
    with table_lock(storage, coordination):
        database = load_properties(storage).database
        changes = {
            property_keys.TABLE_NAME: name,
            property_keys.TABLE_CHECKSUM: table_checksum(name, database),
        }
        update_properties(storage, changes)


def _check_not_stored(keys: list[str], at: Fragment) -> None:
    """Raise `StatementError` if keys are properties that define the table and on which its files depend."""
    stored = [key for key in keys if key.lower() in STORED or key.lower() in SQL_NAMES]
    if stored:
        raise at.error(
            f"properties that define a table cannot be changed, because its files depend on them: {', '.join(stored)}; "
            "create another table with AS SELECT",
            code="refused",
        )


def _set_properties(context: Context, target: NamedTable, statement: d.SetProperties) -> DataFrame:
    """Store options of later statements with the name of the table."""
    _check_not_stored(list(statement.properties), statement.name.at)
    parse(without_free(statement.properties), ALL_GROUPS)
    lower = {key.lower() for key in statement.properties}
    kept = {key: value for key, value in target.options.items() if key.lower() not in lower}
    places.keep_options(context.spark, target, {**kept, **statement.properties})
    return empty_frame(context.spark)


def _unset_properties(context: Context, target: NamedTable, statement: d.UnsetProperties) -> DataFrame:
    _check_not_stored(list(statement.keys), statement.name.at)
    kept = {key.lower(): key for key in target.options}
    missing = [key for key in statement.keys if key.lower() not in kept]
    if missing and not statement.if_exists:
        raise statement.name.at.error(f"the table has no property '{missing[0]}'; IF EXISTS ignores missing ones")
    gone = {kept[key.lower()] for key in statement.keys if key.lower() in kept}
    places.keep_options(context.spark, target, {key: value for key, value in target.options.items() if key not in gone})
    return empty_frame(context.spark)
