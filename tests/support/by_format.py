"""Reads by the data source `hoodoo`, in tests that read a table in several ways with any PySpark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def by_format(spark: SparkSession, path: str | Path, **options: Any) -> list[DataFrame]:
    """Return the DataFrame of the data source, in a list that is empty if PySpark lacks Python data sources."""
    from hoodoo.spark.pyspark_version import DATA_SOURCES

    if not DATA_SOURCES.is_available():
        return []
    return [spark.read.format("hoodoo").options(**options).load(str(path))]
