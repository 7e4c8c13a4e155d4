"""Bad input through Spark: the driver raises the same error, regardless of the process that detects it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

import hoodoo

from .usual_input import COLUMNS, ROWS

# `tox -e fast` has no PySpark, which these modules import
collect_ignore_glob = [] if find_spec("pyspark") else ["*test_*.py"]


@pytest.fixture
def send(spark, place):
    """Return a function that writes rows through Spark with the usual options and others."""

    def write(rows=ROWS, columns=COLUMNS, mode="append", **options):
        frame = rows if hasattr(rows, "sparkSession") else spark.createDataFrame(rows, columns)
        return hoodoo.write(frame, place.path, place.options(options), mode)

    return write


@pytest.fixture
def executors(spark) -> Iterator[dict[str, str]]:
    """Yield environment variables of the Python workers that are started from now on."""
    environment = spark.sparkContext.environment
    before = dict(environment)
    yield environment
    environment.clear()
    environment.update(before)
