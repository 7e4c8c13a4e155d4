"""Sessions of both systems, with a database for the tables of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.interop.processes.hudi_side import HudiSide

from .systems import Hoodoo, Hudi

RELEASE = "1.2.0"


@pytest.fixture
def theirs(hudi: Callable[[str], HudiSide], tmp_path: Path) -> Iterator[Hudi]:
    """Return Hudi's SQL, in an empty database."""
    system = Hudi(hudi(RELEASE), tmp_path / "read")
    system.run(f"CREATE DATABASE statements LOCATION '{tmp_path / 'hudi'}'")
    system.run("USE statements")
    yield system
    system.settings = {}
    system.run("USE default")
    system.run("DROP DATABASE statements CASCADE")


@pytest.fixture
def ours(spark: SparkSession, tmp_path: Path) -> Iterator[Hoodoo]:
    """Return hoodoo's SQL, in an empty database."""
    spark.sql(f"CREATE DATABASE compared LOCATION '{tmp_path / 'hoodoo'}'")
    spark.sql("USE compared")
    yield Hoodoo(spark)
    spark.sql("USE default")
    spark.sql("DROP DATABASE compared CASCADE")
