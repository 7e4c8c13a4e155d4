"""INSERT INTO and INSERT OVERWRITE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.schema.comments import KeepsComments
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.spark.spark_types import quoted, spark_schema
from hoodoo.spark.sql.context import Context, check_named
from hoodoo.spark.sql.results import commit_frame
from hoodoo.spark.sql.rows.partitions import matching_paths, partition_columns, values_of
from hoodoo.spark.sql.session_options import (
    BULK_INSERT,
    INSERT_MODE,
    INSERT_OPERATION,
    OVERWRITE_MODE,
    StatementOptions,
)
from hoodoo.spark.sql.tables.named_table import NamedTable
from hoodoo.spark.statements.store_assignment import is_assignable
from hoodoo.spark.write.batch import DataFrameBatch
from hoodoo.spark.write.writer import write_batch_of
from hoodoo.sql_parsing.cursor import Cursor
from hoodoo.sql_parsing.statements import Insert
from hoodoo.sql_text.fragment import Fragment, Name
from hoodoo.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = ["assigned_rows", "run_insert"]

_OPERATIONS = ("insert", "upsert", "bulk_insert")
_OF_MODES = {"upsert": {"operation": "upsert"}, "strict": {"operation": "insert", "dup_policy": "fail"}}


def run_insert(context: Context, target: NamedTable, insert: Insert) -> DataFrame:
    """Execute an INSERT, and return the numbers of its commit as one row.

    Raises:
        StatementError: Columns, values or the partition do not fit the table, or the statement has PARTITION and
            parameters without names. Nothing has been written.
        HoodooError: As in `hoodoo.write`.
    """
    if insert.partition:
        check_named(context, "INSERT with PARTITION")
    table = target.table(context.spark)
    given = target.given(context.spark)
    static = values_of(context, table, insert.partition or ())
    rows = context.query(insert.query, ctes=insert.ctes, edits=_defaults(insert.query))
    rows = assigned_rows(context.spark, rows, insert, table, static)
    chosen = _overwriting(context.spark, given, table, static) if insert.overwrites else _inserting(given, table)
    options = {**given.of_operation(chosen.get("operation")), **chosen}
    batch = DataFrameBatch(rows, (KeepsComments(),))
    return commit_frame(context.spark, write_batch_of(batch, target.path, options, "append"))


def _inserting(given: StatementOptions, table: Table) -> dict[str, Any]:
    """Return the options that determine the operation of INSERT INTO, according to the settings; by default `insert`.

    They are empty for a table without record key, unless `hoodie.spark.sql.insert.into.operation` or
    `hoodie.sql.bulk.insert.enable` selects an operation.
    """
    named = given.statement.get(INSERT_OPERATION)
    if named is not None:
        if named.lower() not in _OPERATIONS:
            raise OptionError(f"'{INSERT_OPERATION}' is {named!r}; choose one of: {', '.join(_OPERATIONS)}")
        return {"operation": named.lower()}
    if given.statement.get(BULK_INSERT, "false").lower() == "true":
        return {"operation": "bulk_insert"}
    mode = given.statement.get(INSERT_MODE, "non-strict").lower()
    if mode not in ("upsert", "strict", "non-strict"):
        raise OptionError(f"'{INSERT_MODE}' is {mode!r}; choose one of: upsert, strict, non-strict")
    if not table.properties.record_key:
        # each row gets a new key
        return {}
    return dict(_OF_MODES.get(mode, {"operation": "insert"}))


def _overwriting(
    spark: SparkSession, given: StatementOptions, table: Table, static: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the options of INSERT OVERWRITE: its operation, and partitions to replace even without new rows."""
    columns = partition_columns(table)
    mode = given.statement.get(OVERWRITE_MODE) or spark.conf.get("spark.sql.sources.partitionOverwriteMode", "STATIC")
    if str(mode).upper() not in ("STATIC", "DYNAMIC"):
        raise OptionError(f"'{OVERWRITE_MODE}' is {mode!r}; choose STATIC or DYNAMIC")
    if not columns or (str(mode).upper() == "STATIC" and not static):
        return {"operation": "insert_overwrite_table"}
    if str(mode).upper() == "DYNAMIC" and len(static) < len(columns):
        return {"operation": "insert_overwrite"}
    return {"operation": "insert_overwrite", "partitions_to_overwrite": matching_paths(table, static)}


def _defaults(query: Fragment) -> list[tuple[int, int, str]]:
    """Return the replacements of DEFAULT in VALUES by NULL, which is the default of each column."""
    cursor = Cursor.of(query.statement[: query.end])
    while cursor.peek().start < query.start:
        cursor.next()
    if not cursor.at("VALUES"):
        return []
    found: list[tuple[int, int, str]] = []
    while not cursor.at_end:
        token = cursor.next()
        before = cursor.tokens[cursor.index - 2]
        if token.upper == "DEFAULT" and before.is_symbol("(", ",") and cursor.peek().is_symbol(")", ","):
            found.append((token.start, token.end, "NULL"))
    return found


def assigned_rows(
    spark: SparkSession, rows: DataFrame, insert: Insert, table: Table, static: Mapping[str, Any]
) -> DataFrame:
    """Return rows in the columns and types of a table, by Spark's store assignment.

    Args:
        spark: The session.
        rows: The rows of the query.
        insert: The statement, which lists columns, has BY NAME, or assigns the columns of the query by position.
        table: The table, whose columns the result has.
        static: The values in the clause PARTITION, by column.

    Raises:
        StatementError: The columns of the query do not fit, or a column has a type that is not converted (unless
            `spark.sql.storeAssignmentPolicy` is LEGACY).
    """
    from pyspark.sql import functions as F

    schema = spark_schema(table.schema)
    assignment = _Assignment(insert, tuple(schema.names), static, partition_columns(table))
    rows = rows.drop(*META_COLUMNS)
    names = assignment.names(rows.columns)
    rows = rows.toDF(*names)
    if str(spark.conf.get("spark.sql.storeAssignmentPolicy", "ANSI")).upper() != "LEGACY":
        check_types(rows.schema, schema, assignment.place)
    else:
        types = {field.name: field.dataType for field in schema.fields}
        rows = rows.select([F.col(name).cast(types[name.strip("`")]).alias(name.strip("`")) for name in quoted(names)])
    for column, value in static.items():
        rows = rows.withColumn(column, F.lit(value))
    for name in schema.names:
        if name not in names and name not in static:
            rows = rows.withColumn(name, F.lit(None))
    return rows.to(schema)


def check_types(given: StructType, wanted: StructType, place: Fragment) -> None:
    """Raise `StatementError` if a column has a type that is not converted to that of the table."""
    for field in given.fields:
        type_ = wanted[field.name].dataType
        if not is_assignable(field.dataType, type_):
            raise place.error(
                f"a value of type {field.dataType.simpleString()} cannot be assigned to column '{field.name}' of type "
                f"{type_.simpleString()}; cast the value",
                code="assignment_type",
            )


@frozen
class _Assignment:
    """Assignment of the columns of a query to columns of a table.

    Attributes:
        insert: The statement.
        columns: The columns of the table.
        static: The values in the clause PARTITION, by column.
        partition: The partition columns.
    """

    insert: Insert
    columns: tuple[str, ...]
    static: Mapping[str, Any]
    partition: tuple[str, ...]

    @property
    def place(self) -> Fragment:
        """Return the query, whose position errors about columns show."""
        return self.insert.query

    def names(self, given: Sequence[str]) -> list[str]:
        """Return the column of the table for each column of the query. Raise `StatementError` if they do not match."""
        if self.insert.by_name:
            return self._by_name(given)
        if self.insert.columns is not None:
            wanted = [self._listed(name) for name in self.insert.columns]
        else:
            wanted = [name for name in self.columns if name not in self.static]
            if self.insert.partition is not None:
                # the columns of PARTITION are the last ones
                wanted.sort(key=lambda name: self.partition.index(name) if name in self.partition else -1)
        if len(wanted) != len(given):
            raise self.place.error(
                f"the query has {len(given)} column{'s' * (len(given) != 1)} ({', '.join(given)}), and INSERT assigns "
                f"{len(wanted)} ({', '.join(wanted)}); list one column of the table for each of the query, or use BY "
                "NAME",
                code="column_count",
            )
        return wanted

    def _by_name(self, given: Sequence[str]) -> list[str]:
        lower = {name.lower(): name for name in self.columns if name not in self.static}
        unknown = [name for name in given if name.lower() not in lower]
        if unknown:
            raise self.place.error(
                f"the query has columns that INSERT BY NAME cannot assign: {', '.join(unknown)}; it can assign: "
                f"{', '.join(lower.values())}; rename the columns of the query with AS, or leave them out",
                code="column",
            )
        counts = Counter(name.lower() for name in given)
        if repeated := next((name for name in given if counts[name.lower()] > 1), None):
            raise self.place.error(
                f"column '{repeated}' occurs more than once in the query; rename one with AS", code="column_twice"
            )
        return [lower[name.lower()] for name in given]

    def _listed(self, name: Name) -> str:
        """Return the column of the table that a name in the list identifies."""
        for column in self.columns:
            if len(name.parts) == 1 and column.lower() == name.parts[0].lower():
                if column in self.static:
                    raise name.at.error(f"column '{column}' has a value in PARTITION; leave it out of the list")
                return column
        raise name.at.error(
            f"the table has no column '{name}'; its columns are: {', '.join(self.columns)}", code="column"
        )
