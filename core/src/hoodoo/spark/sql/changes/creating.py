"""CREATE TABLE, CREATE TABLE ... AS SELECT, CREATE OR REPLACE TABLE, and names of a session."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from hoodoo.errors import NotATable, SchemaError
from hoodoo.plugin import default_catalogue
from hoodoo.properties import create_properties
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.spark.spark_types import arrow_schema, spark_schema
from hoodoo.spark.sql.changes.table_definition import (
    Definition,
    check_same_columns,
    definition_of,
    options_of,
    refuse,
    with_partition_columns_last,
)
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.results import commit_frame, empty_frame
from hoodoo.spark.sql.tables import places, session_names
from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace
from hoodoo.spark.write.writer import write
from hoodoo.sql_parsing.definitions import CreateTable
from hoodoo.table import Table
from hoodoo.txn import coordination_of
from hoodoo.write_job import Job
from hoodoo.writing.prepare.prepare import prepare

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["run_create"]


def run_create(context: Context, statement: CreateTable) -> DataFrame:
    """Create a table, replace its rows, or register one that exists.

    Returns:
        The numbers of the commit if rows are written or replaced; otherwise no rows.

    Raises:
        StatementError: The name is taken, or the statement is incomplete, contradicts itself, or contradicts the table
            at its path. Nothing is written.
        NotATable: The path of a temporary name has no table.
        HoodooError: As in `hoodoo.write`.
    """
    spark = context.spark
    if statement.is_temporary:
        return _register_for_session(context, statement)
    target, is_new = places.new_target(spark, statement.name, _location(statement))
    if not is_new and statement.if_not_exists:
        return empty_frame(spark)
    if not is_new and not statement.replaces:
        raise refuse(
            statement,
            f"a table '{target}' exists already at {target.path}; write CREATE TABLE IF NOT EXISTS, CREATE OR REPLACE "
            "TABLE, or another name",
        )
    definition = definition_of(context, statement, target)
    target = NamedTable(target.path, target.place, target.parts, definition.kept)
    if is_new:
        places.check_can_keep(spark, target)
    table = _existing(context, target)
    if table is not None:
        _check_options(context, target, definition, table)
    rows = None if statement.query is None else _rows(context, statement)
    columns = definition.columns if rows is None else rows.schema
    if table is None:
        done = _created(context, statement, target, definition, rows)
    elif statement.replaces:
        done = _replaced(context, statement, target, definition, rows, table)
    elif rows is not None:
        raise refuse(
            statement,
            f"there is a table at {target.path} already; write CREATE OR REPLACE TABLE to replace its rows, or INSERT "
            "INTO to add some",
        )
    else:
        if columns is not None:
            check_same_columns(columns, spark_schema(table.schema), statement, "the table at the path differs")
        done = empty_frame(spark)
    if is_new:
        schema = columns if columns is not None else spark_schema(target.table(spark).schema)
        places.keep(spark, target, schema, statement.comment)
    elif definition.kept and target.place is not NamePlace.PATH:
        places.keep_options(spark, target, definition.kept)
    return done


def _location(statement: CreateTable) -> str | None:
    """Return the path of LOCATION or of a property `path` or `basePath`; None without these.

    Raise `StatementError` if the paths differ.
    """
    paths = {value for key, value in statement.properties.items() if key.lower() in ("path", "basepath")}
    if statement.location is not None:
        paths.add(statement.location)
    if len({path.rstrip("/") for path in paths}) > 1:
        raise refuse(statement, f"the statement has several paths: {', '.join(sorted(paths))}; give one")
    return next(iter(paths), None)


def _register_for_session(context: Context, statement: CreateTable) -> DataFrame:
    """Register a path under a name of the session."""
    spark, path = context.spark, _location(statement)
    if statement.query is not None or statement.columns is not None or statement.partition_by:
        raise refuse(statement, "a temporary name has no columns or rows of its own; give the path of a table alone")
    if path is None:
        raise refuse(statement, "a temporary name needs the path of a table; write OPTIONS (path '...')")
    if len(statement.name.parts) > 1:
        raise refuse(statement, "a temporary name has no database; give the name alone")
    name = statement.name.parts[0]
    if session_names.find(spark, (name,)) is not None and not statement.replaces:
        if statement.if_not_exists:
            return empty_frame(spark)
        raise refuse(statement, f"the session has a table '{name}' already; write CREATE OR REPLACE TEMPORARY VIEW")
    options = options_of(statement)
    target = NamedTable(path, NamePlace.SESSION, (name,), options)
    target.table(spark)
    session_names.add(spark, name, path, options)
    return empty_frame(spark)


def _existing(context: Context, target: NamedTable) -> Table | None:
    try:
        return target.table(context.spark)
    except NotATable:
        return None


def _write_options(context: Context, target: NamedTable, definition: Definition, operation: str) -> dict[str, Any]:
    """Return the options of a write: those of the session, of the name, and of the definition."""
    given = target.given(context.spark).of_operation(operation)
    lower = {key.lower() for key in definition.options}
    return {**{key: value for key, value in given.items() if key.lower() not in lower}, **definition.options}


def _check_options(context: Context, target: NamedTable, definition: Definition, table: Table) -> None:
    """Raise `OptionError` if the definition contradicts the properties of a table that exists."""
    implied = ("table_name", "database", "hive_style")
    given = {key: value for key, value in definition.options.items() if key not in implied}
    options = {**target.access(context.spark), **given, "operation": "insert"}
    job = Job.of(target.path, options, default_catalogue())
    prepare(job.storage, table.schema, job.given, "append", default_catalogue())


def _rows(context: Context, statement: CreateTable) -> DataFrame:
    """Return the rows of the query, with the partition columns last."""
    if statement.columns is not None:
        raise statement.columns.error(
            "the columns of AS SELECT are those of the query; leave the list of columns out", code="refused"
        )
    if statement.query is None:
        raise refuse(statement, "the statement has no query")
    rows = context.query(statement.query).drop(*META_COLUMNS)
    names = [name.lower() for name in rows.columns]
    for name in statement.partition_by:
        if name.lower() not in names:
            raise statement.query.error(
                f"PARTITIONED BY names '{name}', and the query has the columns: {', '.join(rows.columns)}; name one of "
                "them",
                code="column",
            )
    order = with_partition_columns_last(rows.schema, statement.partition_by).names
    return rows if order == rows.columns else rows.select([rows[_quoted(name)] for name in order])


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _created(
    context: Context, statement: CreateTable, target: NamedTable, definition: Definition, rows: DataFrame | None
) -> DataFrame:
    """Create a table with the rows of the query, or one without rows."""
    if rows is not None:
        options = _write_options(context, target, definition, "bulk_insert")
        return commit_frame(context.spark, write(rows, target.path, options, "errorifexists"))
    if definition.columns is None:
        raise refuse(
            statement,
            f"there is no table at {target.path} yet, so the columns are needed: CREATE TABLE "
            f"{statement.name} (column type, ...), or AS SELECT; or check the path",
        )
    options = {**target.access(context.spark), **_write_options(context, target, definition, "insert")}
    _create_empty(target, options, definition.columns)
    return empty_frame(context.spark)


def _create_empty(target: NamedTable, options: Mapping[str, Any], columns: StructType) -> None:
    """Write the properties of a new table, with its columns. The first write of rows makes the first commit."""
    catalogue = default_catalogue()
    job = Job.of(target.path, {**options}, catalogue)
    prepared = prepare(job.storage, arrow_schema(columns), job.given, "errorifexists", catalogue)
    if prepared is None:
        raise AssertionError("only mode `ignore` plans no table")
    lock = coordination_of(job.storage, prepared.properties, job.given, catalogue).lock
    with nullcontext() if lock is None else lock.held():
        create_properties(job.storage, prepared.properties)


def _replaced(
    context: Context,
    statement: CreateTable,
    target: NamedTable,
    definition: Definition,
    rows: DataFrame | None,
    table: Table,
) -> DataFrame:
    """Replace the rows of an existing table by a commit; its history remains."""
    spark, stored = context.spark, spark_schema(table.schema)
    if rows is None:
        if definition.columns is not None:
            _check_replaceable(definition.columns, stored, statement)
        rows = spark.createDataFrame([], definition.columns or stored)
    else:
        _check_replaceable(rows.schema, stored, statement)
    options = {**definition.options}
    for implied in ("table_name", "database", "hive_style"):
        options.pop(implied, None)
    given = target.given(spark).of_operation("insert_overwrite_table")
    return commit_frame(spark, write(rows, target.path, {**given, **options, "operation": "insert_overwrite_table"}))


def _check_replaceable(columns: StructType, stored: StructType, statement: CreateTable) -> None:
    """Raise `StatementError` if the definition lacks a stored column, or has a type that a Hudi table cannot hold."""
    new = {field.name.lower() for field in columns.fields}
    gone = [field.name for field in stored.fields if field.name.lower() not in new]
    place = statement.columns or statement.query or statement.name.at
    if gone:
        raise place.error(
            f"the table has columns that the new definition lacks ({', '.join(gone)}), and its history needs them; "
            f"add them, in a query as NULL, or DROP TABLE {statement.name} PURGE first, which removes the history",
            code="columns_differ",
        )
    try:
        arrow_schema(columns)
    except SchemaError as error:
        raise place.error(str(error), code="columns_differ") from error
