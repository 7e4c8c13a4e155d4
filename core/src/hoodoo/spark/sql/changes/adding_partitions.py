"""ALTER TABLE ... ADD PARTITION: partitions without rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from hoodoo.format.partition_metadata import PARTITION_METADATA_FILE, ensure_partition_metadata
from hoodoo.plugin import default_catalogue
from hoodoo.spark.sql.context import Context
from hoodoo.spark.sql.results import empty_frame
from hoodoo.spark.sql.rows.partitions import partition_columns, values_of
from hoodoo.spark.sql.tables.named_table import NamedTable
from hoodoo.sql_parsing.definitions import ChangePartitions
from hoodoo.storage import join
from hoodoo.write_job import Job
from hoodoo.writing.prepare.prepare import prepare

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["add_partitions", "paths_of_values"]

_BEFORE_ALL_COMMITS = "00000000000000"
"""The instant in the metadata file of a partition that a statement adds, as in Hudi."""


def add_partitions(context: Context, target: NamedTable, statement: ChangePartitions) -> DataFrame:
    """Create the folders of partitions with their metadata files, as Hudi does. There is no commit.

    Raises:
        StatementError: A named column is not a partition column, a partition column has no value, a value does not fit
            its column, or a partition exists and the statement lacks IF NOT EXISTS.
    """
    spark, table = context.spark, target.table(context.spark)
    columns = partition_columns(table)
    storage = target.storage(spark)
    given = []
    for clause in statement.partitions:
        values = values_of(context, table, clause)
        missing = [name for name in columns if name not in values]
        if missing:
            raise clause[0].column.at.error(
                f"the partition needs a value of each partition column, and '{missing[0]}' has none; give one",
                code="partition",
            )
        given.append(values)
    paths: dict[str, None] = {}
    for clause, path in zip(statement.partitions, paths_of_values(context, target, given), strict=True):
        if not storage.exists(join(path, PARTITION_METADATA_FILE)):
            paths[path] = None
        elif not statement.tolerant:
            raise clause[0].column.at.error(
                f"the table has the partition '{path}' already; IF NOT EXISTS ignores existing ones",
                code="partition",
            )
    for path in paths:
        ensure_partition_metadata(storage, path, _BEFORE_ALL_COMMITS)
    return empty_frame(spark)


def paths_of_values(context: Context, target: NamedTable, values: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the partition paths that the table's key generator makes for values of all partition columns."""
    table, catalogue = target.table(context.spark), default_catalogue()
    options = {**target.access(context.spark), "operation": "insert" if table.properties.record_key else "bulk_insert"}
    job = Job.of(target.path, options, catalogue)
    prepared = prepare(job.storage, table.schema, job.given, "append", catalogue)
    assert prepared is not None
    rows = pa.table({f.name: pa.array([each.get(f.name) for each in values], f.type) for f in table.schema})
    paths = prepared.keys.make_generator().partition_paths(rows, prepared.keys.config)
    return [str(path) for path in paths.to_pylist()]
