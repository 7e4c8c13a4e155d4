"""Distribution of rows to partitions of Spark."""

from __future__ import annotations

import numpy as np
import pytest
from pyspark.sql import functions as F

from hoodoo.spark.compatibility.shuffle import rebalanced, repartitioned, values_by_partition


@pytest.mark.parametrize("count", [1, 2, 7, 200])
def test_spark_hashes_each_value_to_its_partition(count, spark):
    values = values_by_partition(count).tolist()

    frame = spark.createDataFrame(list(enumerate(values)), "number int, value int")

    assert [row.n for row in frame.selectExpr(f"pmod(hash(value), {count}) - number as n").distinct().collect()] == [0]


def test_thousands_of_partitions_have_different_values():
    assert len(np.unique(values_by_partition(5000))) == 5000


@pytest.mark.usefixtures("either_way")
def test_each_number_has_a_partition(spark):
    frame = spark.range(0, 300, 1, 4).selectExpr("id", "int(id % 12) as number")

    found = repartitioned(frame, 12, F.col("number")).select("number", F.spark_partition_id().alias("partition"))

    assert {(row.number, row.partition) for row in found.collect()} == {(n, n) for n in range(12)}
    assert found.count() == 300


@pytest.mark.usefixtures("either_way")
def test_spark_balances_rows_by_a_column(spark):
    found = rebalanced(spark.range(0, 300, 1, 4).selectExpr("id", "id % 3 as __route"), "__route")

    assert "RebalancePartitions [__route" in found._jdf.queryExecution().optimizedPlan().toString()
    assert sorted(row.id for row in found.collect()) == list(range(300))
