"""DROP TABLE and TRUNCATE TABLE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hoodoo.errors import NotATable
from hoodoo.format.partition_metadata import PARTITION_METADATA_FILE
from hoodoo.spark.spark_types import spark_schema
from hoodoo.spark.sql.changes.adding_partitions import paths_of_values
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.results import commit_frame, empty_frame
from hoodoo.spark.sql.rows.partitions import matching_paths, partition_columns, values_of
from hoodoo.spark.sql.tables import places
from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace
from hoodoo.spark.write.writer import write
from hoodoo.sql_parsing.definitions import DropTable, TruncateTable
from hoodoo.sql_parsing.statements import PartitionValue
from hoodoo.storage import join, storage_for

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["delete_partitions", "run_drop", "run_truncate"]


def run_drop(context: Context, target: NamedTable, statement: DropTable) -> DataFrame:
    """Remove the name of a table, and its files with PURGE.

    Raises:
        StatementError: The statement names the table by its path and lacks PURGE, or the folder that PURGE would delete
            has no parent.
        NotATable: PURGE applies to a path without a table, and the statement lacks IF EXISTS.
    """
    spark = context.spark
    if target.place is NamePlace.PATH and not statement.purge:
        raise statement.name.at.error(
            "a path has no name that can be removed, and DROP TABLE keeps the files; write PURGE to delete the table "
            "with its history",
            code="refused",
        )
    if statement.purge:
        _purge(context, target, statement)
    places.forget(spark, target)
    return empty_frame(spark)


def _purge(context: Context, target: NamedTable, statement: DropTable) -> None:
    """Delete the folder of a table. Raise `StatementError` if the folder has no parent.

    Without a table, do nothing; raise `NotATable` if the statement names a path and lacks IF EXISTS.
    """
    try:
        target.table(context.spark)
    except NotATable:
        if target.place is NamePlace.PATH and not statement.if_exists:
            raise
        return
    parent, _, folder = target.path.rstrip("/").rpartition("/")
    if not folder or not parent:
        raise statement.name.at.error(
            f"PURGE cannot delete {target.path}, which has no parent folder; delete it yourself"
        )
    storage_for(parent, target.access(context.spark)).delete_tree(folder)


def run_truncate(context: Context, target: NamedTable, statement: TruncateTable) -> DataFrame:
    """Remove all rows of a table or of partitions by a commit; the history remains.

    Raises:
        StatementError: The clause PARTITION is not valid, see `delete_partitions`.
        HoodooError: As in `hoodoo.write`.
    """
    if statement.partition is not None:
        return delete_partitions(context, target, (statement.partition,), tolerant=False)
    spark = context.spark
    none = spark.createDataFrame([], spark_schema(target.table(spark).schema))
    options = target.given(spark).of_operation("insert_overwrite_table")
    return commit_frame(spark, write(none, target.path, options))


def delete_partitions(
    context: Context, target: NamedTable, clauses: tuple[tuple[PartitionValue, ...], ...], *, tolerant: bool
) -> DataFrame:
    """Remove partitions, as one commit. There is no commit if no partition has rows.

    Args:
        context: The context of the statement.
        target: The table.
        clauses: The clauses PARTITION; a clause with some of the columns selects all partitions with these values.
        tolerant: Whether partitions that the table does not have are ignored.

    Raises:
        StatementError: A column is not a partition column or has no value, a value does not fit its column, or the
            table does not have a partition and the call is not tolerant.
        HoodooError: As in `hoodoo.write`.
    """
    spark, table = context.spark, target.table(context.spark)
    paths: set[str] = set()
    for clause in clauses:
        for entry in clause:
            if entry.value is None:
                raise entry.column.at.error(
                    f"the value of partition column '{entry.column}' is missing; write {entry.column} = value"
                )
        values = values_of(context, table, clause)
        found = matching_paths(table, values)
        if not found and not tolerant and not _has_folder(context, target, values):
            raise clause[0].column.at.error(
                "the table has no such partition; SHOW PARTITIONS lists the partitions, and ALTER TABLE ... DROP IF "
                "EXISTS ignores missing ones",
                code="unknown_partition",
            )
        paths.update(found)
    if not paths:
        # partitions without rows
        return empty_frame(spark)
    none = spark.createDataFrame([], spark_schema(table.schema))
    options = {**target.given(spark).of_operation("delete_partition"), "partitions_to_delete": sorted(paths)}
    return commit_frame(spark, write(none, target.path, options))


def _has_folder(context: Context, target: NamedTable, values: Mapping[str, Any]) -> bool:
    """Return whether a partition without rows has a folder: it was added, or had rows before.

    The result is False if a partition column has no value.
    """
    spark = context.spark
    if len(values) < len(partition_columns(target.table(spark))):
        return False
    [path] = paths_of_values(context, target, [values])
    return target.storage(spark).exists(join(path, PARTITION_METADATA_FILE))
