"""Generated expressions in MERGE, UPDATE and conditions have the values that Spark gives them in plain queries."""

from __future__ import annotations

import pytest

from .expressions import Batch

# `DataFrame.toArrow`, and functions of variants among the expressions
pytestmark = pytest.mark.needs_pyspark("4.0")

LEAST = 3_000
"""The least number of different expressions that the nightly test compares."""


@pytest.mark.representatives(seed=[100])
@pytest.mark.parametrize("seed", [100, 101])
def test_expressions_have_the_values_that_spark_gives_them(spark, tmp_path, seed):
    assert len(Batch(spark, tmp_path, seed, 75).compare()) >= 70


@pytest.mark.nightly
def test_thousands_of_expressions_have_the_values_that_spark_gives_them(spark, tmp_path):
    compared: set[str] = set()
    for seed in range(24):
        folder = tmp_path / str(seed)
        folder.mkdir()
        compared |= Batch(spark, folder, seed, 150).compare()
    assert len(compared) >= LEAST
