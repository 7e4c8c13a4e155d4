"""`hoodoo.sql`: a statement of Spark's SQL in which tables may be Hudi tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hoodoo.errors import StatementError
from hoodoo.spark.save_mode import note_save_mode
from hoodoo.spark.sql.changes.altering import run_alter
from hoodoo.spark.sql.changes.creating import run_create
from hoodoo.spark.sql.changes.describing import run_describe
from hoodoo.spark.sql.changes.dropping import run_drop, run_truncate
from hoodoo.spark.sql.changes.indexing import run_create_index, run_drop_index, run_show_indexes
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.plain_sql import plain_sql
from hoodoo.spark.sql.procedures.call import is_procedure, run_call
from hoodoo.spark.sql.rows.inserting import run_insert
from hoodoo.spark.sql.rows.merging import run_delete, run_merge, run_update
from hoodoo.spark.sql.rows.queries import create_view, names_hudi_table, run_query
from hoodoo.spark.sql.tables.names import target_of
from hoodoo.sql_parsing import definitions as d
from hoodoo.sql_parsing.grammar import FORMATS, Statement, creates_hudi_table, parse_statement
from hoodoo.sql_parsing.parameters import named_in_braces
from hoodoo.sql_parsing.statements import Delete, Insert, Merge, QueryStatement, Update
from hoodoo.sql_text.fragment import Fragment

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["run_statement", "sql"]


def sql(spark: SparkSession, text: str, /, **parameters: Any) -> DataFrame:
    """Execute a statement of Spark's SQL, in which tables may be Hudi tables: see `docs/sql.md`.

    A statement without Hudi tables is passed to `spark.sql` unchanged. A Hudi table is named by its path, as in
    ``hoodoo.`/data/orders` ``, or by the name in its CREATE TABLE statement.

    Args:
        spark: The session, classic or Connect.
        text: One statement.
        parameters: The values of markers `:name`, and of markers `{name}`, which may be DataFrames.

    Returns:
        For a query, its rows, which are evaluated lazily; for a statement that makes a commit, one row with the numbers
        of the commit; for SHOW, DESCRIBE and CALL, their rows; for other statements, no rows.

    Raises:
        StatementError: The statement is invalid or not supported; the message shows the place, if the error has one.
            Nothing is written.
        HoodooError: As in `hoodoo.read` and `hoodoo.write`.
    """
    in_braces = named_in_braces(text) if parameters else frozenset()
    frames = {name: value for name, value in parameters.items() if name in in_braces}
    args = {name: value for name, value in parameters.items() if name not in in_braces}
    return run_statement(spark, text, args, frames)


def run_statement(
    spark: SparkSession, text: str, args: Mapping[str, Any] | list[Any], frames: Mapping[str, Any]
) -> DataFrame:
    """Execute a statement. `args` and `frames` are `args` and the keyword arguments of `SparkSession.sql`."""
    note_save_mode()
    context = Context(spark, args, frames)
    try:
        statement = parse_statement(text)
    except StatementError:
        if _names_hudi_table(spark, text):
            raise
        return plain_sql(spark, text, args, **frames)
    try:
        found = _run(context, statement)
    finally:
        context.close()
    return plain_sql(spark, text, args, **frames) if found is None else found


def _names_hudi_table(spark: SparkSession, text: str) -> bool:
    """Return whether a statement that cannot be parsed probably names or creates a Hudi table."""
    try:
        return creates_hudi_table(text) or names_hudi_table(spark, Fragment(text, 0, len(text)))
    except StatementError:
        return False


def _run(context: Context, statement: Statement) -> DataFrame | None:
    """Execute a statement. Return None for a statement about other tables, which Spark executes."""
    if isinstance(statement, QueryStatement):
        return run_query(context, statement)
    if isinstance(statement, d.CreateView):
        return create_view(context, statement)
    if isinstance(statement, d.CreateTable):
        ours = statement.provider in FORMATS or _is_replaced(context, statement)
        return run_create(context, statement) if ours else _of_other_format(context, statement)
    if isinstance(statement, d.Call):
        return run_call(context, statement) if is_procedure(statement) else None
    return _of_table(context, statement)


def _is_replaced(context: Context, statement: d.CreateTable) -> bool:
    """Return whether a statement has no format and names an existing Hudi table."""
    return statement.provider is None and target_of(context.spark, statement.name) is not None


def _of_other_format(context: Context, statement: d.CreateTable) -> DataFrame | None:
    """Create a table of another format from a query with Hudi tables; return None for a statement without one."""
    query = statement.query
    if query is None or not names_hudi_table(context.spark, query):
        return None
    return context.query(Fragment(query.statement, 0, query.end))


def _of_table(context: Context, statement: Any) -> DataFrame | None:
    """Execute a statement about one table. Return None for a statement without Hudi tables, which Spark executes."""
    name = statement.target if isinstance(statement, Delete | Insert | Merge | Update) else statement.name
    target = target_of(context.spark, name)
    if target is None:
        return _with_hudi_source(context, statement)
    if isinstance(statement, Merge):
        return run_merge(context, target, statement)
    if isinstance(statement, Update):
        return run_update(context, target, statement)
    if isinstance(statement, Delete):
        return run_delete(context, target, statement)
    if isinstance(statement, Insert):
        return run_insert(context, target, statement)
    if isinstance(statement, d.DropTable):
        return run_drop(context, target, statement)
    if isinstance(statement, d.TruncateTable):
        return run_truncate(context, target, statement)
    if isinstance(statement, d.CreateIndex):
        return run_create_index(context, target, statement)
    if isinstance(statement, d.DropIndex):
        return run_drop_index(context, target, statement)
    if isinstance(statement, d.ShowIndexes):
        return run_show_indexes(context, target, statement)
    if isinstance(statement, d.Describe | d.ShowCreate | d.ShowPartitions | d.ShowProperties):
        return run_describe(context, target, statement)
    return run_alter(context, target, statement)


def _with_hudi_source(context: Context, statement: Any) -> DataFrame | None:
    """Execute a statement that changes a table of Spark and reads Hudi tables; return None for other statements."""
    if not isinstance(statement, Insert | Merge | Update | Delete):
        return None
    text = statement.target.at.statement
    whole = Fragment(text, 0, len(text))
    return context.query(whole) if names_hudi_table(context.spark, whole) else None
