"""Generated expressions in MERGE, UPDATE and conditions have the values that Spark gives them in plain queries."""

from __future__ import annotations

import os

import pytest

from .expressions import Batch

# `DataFrame.toArrow`, and functions of variants among the expressions
pytestmark = pytest.mark.needs_pyspark("4.0")

BATCHES = int(os.environ.get("HOODOO_EXPRESSION_BATCHES", "24"))
"""Number of nightly batches."""

LEAST = 126
"""The least number of different expressions of each batch: 3,000 in 24 batches."""


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [100, 101])
def test_expressions_have_the_values_that_spark_gives_them(spark, tmp_path, seed):
    assert len(Batch(spark, tmp_path, seed, 75).compare()) >= 70


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(BATCHES))
def test_thousands_of_expressions_have_the_values_that_spark_gives_them(spark, tmp_path, seed):
    assert len(Batch(spark, tmp_path, seed, 150).compare()) >= LEAST
