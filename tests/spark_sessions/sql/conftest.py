"""Fixtures for statements in the shared session; each test has a separate database and separate tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hoodoo
from hoodoo.spark.pyspark_version import DATA_SOURCES

Run = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def database(spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    """Use an empty database, whose tables are in a folder of the test, and yield the path of the folder."""
    folder = tmp_path / "warehouse"
    spark.sql(f"CREATE DATABASE statements LOCATION '{folder}'")
    spark.sql("USE statements")
    if not DATA_SOURCES.is_available():
        # the catalogue of the session does not store tables of hoodoo
        spark.conf.set("hoodoo.sql.tables", f"{folder}/names.json")
    before = {row["key"] for row in spark.sql("SET").collect()}
    yield str(folder)
    for row in spark.sql("SET").collect():
        if row["key"].startswith(("hoodie.", "hoodoo.")) and row["key"] not in before:
            spark.conf.unset(row["key"])
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    spark.sql("USE default")
    spark.sql("DROP DATABASE statements CASCADE")


@pytest.fixture
def run(spark: SparkSession) -> Run:
    """Return a function that runs a statement and returns its rows as tuples."""

    def run(text: str, **parameters: Any) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in hoodoo.sql(spark, text, **parameters).collect()]

    return run
