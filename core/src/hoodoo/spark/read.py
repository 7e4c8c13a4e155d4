"""Tables as DataFrames: base files go to Spark's own Parquet reader, which prunes columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoodoo.options import ReadOptions, parse
from hoodoo.reading import projected
from hoodoo.schema.meta import META_COLUMNS, with_meta
from hoodoo.spark.schema import spark_schema
from hoodoo.table import Table

if TYPE_CHECKING:
    import os

    from pyspark.sql import DataFrame, SparkSession

__all__ = ["read", "wanted_columns"]


def read(spark: SparkSession, path: str | os.PathLike[str], **options: Any) -> DataFrame:
    """Read a table.

    Args:
        spark: The session, classic or Connect.
        path: The table's root folder.
        options: See `docs/options.md`, "Reading": `as_of`, `columns`, `meta_columns`, `query_type`, or Hudi's keys.

    Raises:
        NotATable: there is no table at the path.
        UnknownOption: no option has this name.
    """
    [given] = parse(options, [ReadOptions])
    table = Table(path)
    splits = table.splits(wanted_columns(table, given), query_type=given.query_type, as_of=given.as_of)
    if splits:
        files = [f"{table.path.rstrip('/')}/{split.path}" for split in splits]
        return spark.read.schema(spark_schema(splits[0].schema)).parquet(*files)
    schema = projected(with_meta(table.schema), wanted_columns(table, given))
    return spark.createDataFrame([], spark_schema(schema))


def wanted_columns(table: Table, given: ReadOptions) -> list[str] | None:
    """The columns that options ask for; None for all of them."""
    if given.columns is not None:
        return list(given.columns)
    return None if given.meta_columns else [name for name in table.schema.names if name not in META_COLUMNS]
