"""Queries, and statements that contain queries of Hudi tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.plain_sql import plain_sql
from hoodoo.spark.sql.results import empty_frame
from hoodoo.spark.sql.rows.table_rows import FUNCTIONS
from hoodoo.spark.sql.tables import catalogue
from hoodoo.spark.sql.tables.names import resolve
from hoodoo.sql_parsing.definitions import CreateView
from hoodoo.sql_parsing.references import TableReference, names_in, references
from hoodoo.sql_parsing.statements import QueryStatement
from hoodoo.sql_text.fragment import Fragment

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["create_view", "names_hudi_table", "run_query"]

_INSTEAD = {
    "ANALYZE TABLE": "Hudi tables have statistics in the footers of their files, which reads use",
    "COMMENT ON": "use ALTER TABLE ... ALTER COLUMN ... COMMENT for a column, or COMMENT in CREATE TABLE for a table",
    "CACHE TABLE": "create a temporary view with CREATE TEMPORARY VIEW ... AS SELECT, and cache the view",
    "CREATE VIEW": "create a temporary view: CREATE TEMPORARY VIEW ... AS SELECT",
    "CREATE OR": "use CREATE OR REPLACE TEMPORARY VIEW ... AS SELECT, or CREATE OR REPLACE TABLE ... USING hoodoo AS "
    "SELECT",
    "CREATE TABLE": "use CREATE TABLE ... USING hoodoo AS SELECT, which can also read an earlier commit",
    "DESC DETAIL": "use DESCRIBE EXTENDED, or CALL show_table_properties(table => ...)",
    "DESC HISTORY": "use CALL show_commits(table => ...)",
    "DESCRIBE DETAIL": "use DESCRIBE EXTENDED, or CALL show_table_properties(table => ...)",
    "DESCRIBE HISTORY": "use CALL show_commits(table => ...)",
    "MSCK REPAIR": "the partitions of a Hudi table are on its timeline, and need no repair",
    "REFRESH INDEX": "each write keeps the indexes current",
    "REFRESH TABLE": "each query reads the newest commit",
    "REPAIR TABLE": "the partitions of a Hudi table are on its timeline, and need no repair",
    "LOAD DATA": "read the files with spark.read, and INSERT INTO the table",
    "FROM ... INSERT": "write one INSERT INTO per table",
    "OPTIMIZE": "use CALL run_compaction(op => 'run', table => ...) for a merge-on-read table",
    "VACUUM": "use CALL run_clean(table => ...)",
    "RESTORE": "read the table with TIMESTAMP AS OF, and write the rows with INSERT OVERWRITE",
}


def run_query(context: Context, query: QueryStatement) -> DataFrame:
    """Return the result of a query in which Hudi tables are replaced by their rows.

    A statement that is not a query is passed to Spark unchanged, unless it names a Hudi table.

    Raises:
        StatementError: The statement is not a query, and names a Hudi table.
    """
    if query.only_reads:
        return context.query(query.text)
    at = next((each.at for each in references(query.text) if _is_hudi(context.spark, each)), None)
    head, advice = next(((h, text) for h, text in _INSTEAD.items() if query.head.startswith(h)), (query.head, None))
    if at is None and advice is not None:
        at = next((name.at for name in names_in(query.text) if resolve(context.spark, name.parts)), None)
    if at is not None:
        forms = {"CREATE OR": "this form of CREATE OR REPLACE", "CREATE TABLE": "this form of CREATE TABLE"}
        raise at.error(
            f"{forms.get(head, head)} is not supported for a Hudi table; "
            f"{advice or 'docs/sql.md lists the statements'}",
            code="refused",
        )
    return plain_sql(context.spark, query.text.sql, context.args, **context.frames)


def names_hudi_table(spark: SparkSession, part: Fragment) -> bool:
    """Return whether a part of a statement names a Hudi table, or a table function of Hudi."""
    return any(_is_hudi(spark, each) for each in references(part))


def _is_hudi(spark: SparkSession, reference: TableReference) -> bool:
    if reference.arguments is not None:
        return reference.name.parts[-1].lower() in FUNCTIONS
    return resolve(spark, reference.name.parts) is not None


def create_view(context: Context, statement: CreateView) -> DataFrame:
    """Create a temporary view of a query with Hudi tables.

    Raises:
        StatementError: The name is taken or has a database, or the number of column names is not that of the query.
    """
    spark = context.spark
    frame = context.query(statement.query)
    if statement.columns is not None:
        if len(statement.columns) != len(frame.columns):
            raise statement.columns[0].at.error(
                f"the view names {len(statement.columns)} column{'s' * (len(statement.columns) != 1)}, and its query "
                f"has {len(frame.columns)}; give one name per column"
            )
        frame = frame.toDF(*(name.parts[-1] for name in statement.columns))
    name = statement.name.parts[-1]
    if len(statement.name.parts) > 1:
        raise statement.name.at.error("a temporary view has no database; give the name alone")
    if statement.replaces:
        frame.createOrReplaceTempView(name)
    elif catalogue.is_known(spark, (name,)):
        raise statement.name.at.error(
            f"there is a table or view '{name}' already; write CREATE OR REPLACE TEMPORARY VIEW"
        )
    else:
        frame.createTempView(name)
    return empty_frame(spark)
