"""What the tests of the core and those across distributions share; a plugin's tests need nothing from here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One local Spark session of two cores for all tests of a run."""
    from hoodoo.spark.session import local_session

    session = local_session("hoodoo tests", cores="2")
    yield session
    session.stop()
