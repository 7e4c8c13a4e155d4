"""ALTER TABLE of columns: new columns, wider types, comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from hoodoo.schema.comments import comments_of, with_comments
from hoodoo.schema.evolution import WidensColumns, is_wider
from hoodoo.spark.spark_types import arrow_schema, spark_schema
from hoodoo.spark.sql.changes.field_paths import field_path
from hoodoo.spark.sql.changes.table_definition import columns_of_text
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.results import commit_frame, empty_frame
from hoodoo.spark.sql.rows.partitions import partition_columns
from hoodoo.spark.sql.tables import catalogue
from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace
from hoodoo.spark.write.batch import DataFrameBatch
from hoodoo.spark.write.writer import write_batch_of
from hoodoo.sql_parsing import definitions as d
from hoodoo.sql_text.fragment import Name
from hoodoo.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField, StructType

__all__ = ["add_columns", "alter_column", "column_of", "comment_column", "committed"]


_READ_BY_1 = 8
"""The first version of tables that no release of Hudi before 1.0 reads."""


def add_columns(context: Context, target: NamedTable, statement: d.AddColumns) -> DataFrame:
    """Add columns, by a commit without rows that has the new schema.

    Raises:
        StatementError: The definitions are invalid, the table has a column of the same name, or a column is NOT NULL.
        SchemaError: A Hudi table cannot have a column of such a type.
        HoodooError: As in `hoodoo.write`.
    """
    from pyspark.sql.types import StructType

    table = target.table(context.spark)
    stored = spark_schema(table.schema)
    new = columns_of_text(context, statement.columns.sql, statement.columns)
    there = {name.lower() for name in stored.names}
    for field in new.fields:
        if field.name.lower() in there:
            raise statement.columns.error(f"the table has a column '{field.name}' already; choose another name")
        if not field.nullable:
            raise statement.columns.error(
                f"column '{field.name}' is NOT NULL, and stored rows have no value for it; leave NOT NULL out"
            )
    done = committed(context, target, table, StructType([*stored.fields, *new.fields]))
    if target.place is NamePlace.CATALOG:
        catalogue.add_columns(context.spark, target, list(new.fields))
    return done


def committed(context: Context, target: NamedTable, table: Table, columns: StructType, *marks: object) -> DataFrame:
    """Write a commit without rows that changes the columns of a table, and return its numbers as one row.

    `marks` are internal options of the write.
    """
    spark = context.spark
    operation = "insert" if table.properties.record_key else "bulk_insert"
    batch = DataFrameBatch(spark.createDataFrame([], columns), marks)
    return commit_frame(
        spark, write_batch_of(batch, target.path, target.given(spark).of_operation(operation), "append")
    )


def alter_column(context: Context, target: NamedTable, statement: d.AlterColumn) -> DataFrame:
    """Change a column to a wider type, and its comment, by a commit without rows. Do nothing if it has both.

    CHANGE COLUMN has a type even if only the comment changes. For a field of a struct, it must be the stored type.

    Raises:
        StatementError: There is no such column or field, or the type is invalid or not permitted for the column.
        SchemaError: A Hudi table cannot have a column of the type.
        HoodooError: As in `hoodoo.write`.
    """
    from pyspark.sql.types import StructField, StructType

    spark, table = context.spark, target.table(context.spark)
    [new] = columns_of_text(context, f"c {statement.type.sql}", statement.type).fields
    comment = statement.comment
    if comment is not None and _has_type(table, statement.column, new):
        return comment_column(context, target, d.CommentColumn(statement.name, statement.column, comment))
    stored = spark_schema(table.schema)
    field = column_of(stored, statement.column)
    if new.dataType.simpleString() == field.dataType.simpleString():
        return empty_frame(spark)
    [wanted] = arrow_schema(StructType([StructField(field.name, new.dataType)]))
    old, new_type = field.dataType.simpleString(), new.dataType.simpleString()
    change = f"the type of column '{field.name}' cannot be changed from {old} to {new_type}"
    if not is_wider(wanted.type, table.schema.field(field.name).type):
        raise statement.type.error(
            f"{change}: some readers would fail or return other values for older files; only int can be changed, to "
            "bigint or double; add a column of the new type and copy the values with UPDATE, or create "
            "a table with AS SELECT",
            code="refused",
        )
    _check_use(table, field.name, wanted.type, change, statement)
    metadata = field.metadata if comment is None else {"comment": comment}
    changed = StructField(field.name, new.dataType, field.nullable, metadata)
    columns = StructType([changed if each is field else each for each in stored.fields])
    done = committed(context, target, table, columns, WidensColumns())
    if target.place is NamePlace.CATALOG:
        catalogue.replace_columns(spark, target, columns)
    return done


def _check_use(table: Table, name: str, type_: pa.DataType, change: str, statement: d.AlterColumn) -> None:
    """Raise `StatementError` if partitions, deletes, record keys or logs depend on the old type of a column."""
    properties = table.properties
    use = None
    if name in partition_columns(table):
        use = "a partition column, whose values are folders and entries of catalogs"
    elif name in properties.ordering:
        use = "an ordering column, whose values are in the deletes of logs in the old type"
    elif name in properties.record_key and type_ != pa.int64():
        use = "a record key column, whose stored text has no decimal point"
    if use is not None:
        raise statement.type.error(f"{change}: the column is {use}; create a table with AS SELECT", code="refused")
    if properties.version < _READ_BY_1 and any(file_slice.logs for file_slice in table.file_slices()):
        raise statement.type.error(
            f"{change} yet: the table has logs, which releases of Hudi before 1.0 read in the old type; run a "
            "compaction first: CALL run_compaction(op => 'run', table => ...)",
            code="refused",
        )


def _has_type(table: Table, column: Name, new: StructField) -> bool:
    """Return whether a column, or a field of a struct, has the type of a definition."""
    [own] = spark_schema(pa.schema([field_path(table.schema, column).field])).fields
    return own.dataType.simpleString() == new.dataType.simpleString()


def comment_column(context: Context, target: NamedTable, statement: d.CommentColumn) -> DataFrame:
    """Change the comment of a column, or of a field of a struct, by a commit without rows.

    An empty text removes the comment. There is no commit if the table has the comment already.

    Raises:
        StatementError: There is no such column or field.
        HoodooError: As in `hoodoo.write`.
    """
    spark, table = context.spark, target.table(context.spark)
    found = field_path(table.schema, statement.column)
    done = empty_frame(spark)
    if comments_of(table.schema).get(found.path, "") != statement.comment:
        columns = with_comments(table.schema, {found.path: statement.comment})
        done = committed(context, target, table, spark_schema(columns))
    if target.place is NamePlace.CATALOG:
        if found.above:
            catalogue.replace_columns(spark, target, spark_schema(target.table(spark).schema))
        else:
            catalogue.comment_column(spark, target, found.name, statement.comment)
    return done


def column_of(stored: StructType, name: Name) -> StructField:
    """Return a column of the table by its name. Raise `StatementError` if there is none, or for a field of a struct."""
    for field in stored.fields:
        if len(name.parts) == 1 and field.name.lower() == name.parts[0].lower():
            return field
    if len(name.parts) > 1:
        raise name.at.error(
            f"'{name}' is a field of a column, and the types of nested fields cannot be changed; create a table with "
            "AS SELECT",
            code="refused",
        )
    raise name.at.error(f"the table has no column '{name}'; its columns are: {', '.join(stored.names)}", code="column")
