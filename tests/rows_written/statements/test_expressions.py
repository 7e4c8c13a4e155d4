"""Generated expressions in MERGE, UPDATE and conditions have the values that Spark gives them in plain queries."""

from __future__ import annotations

import pytest

from .expressions import Batch

# `DataFrame.toArrow`, and functions of variants among the expressions
pytestmark = pytest.mark.needs_pyspark("4.0")

LEAST = 126
"""The least number of different expressions of each of the 24 nightly batches, 3,000 in all."""


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [100, 101])
def test_expressions_have_the_values_that_spark_gives_them(spark, tmp_path, seed):
    assert len(Batch(spark, tmp_path, seed, 75).compare()) >= 70


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(24))
def test_thousands_of_expressions_have_the_values_that_spark_gives_them(spark, tmp_path, seed):
    assert len(Batch(spark, tmp_path, seed, 150).compare()) >= LEAST
