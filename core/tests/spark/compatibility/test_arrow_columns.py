"""Columns that Python computes from Arrow arrays."""

from __future__ import annotations

import pyarrow.compute as pc
import pytest
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

from hoodoo.spark.compatibility.arrow_columns import with_arrow_column


def added(batches):
    for arrays in batches:
        yield pc.add(arrays[0], pc.multiply(arrays[1], 10))


@pytest.mark.usefixtures("either_way")
def test_a_column_of_own_and_of_computed_inputs_is_the_last_one(spark):
    frame = spark.range(0, 50, 1, 3).selectExpr("id", "named_struct('n', id % 7) as s", "cast(id as string) as text")

    found = with_arrow_column(frame, "sum", LongType(), added, {"id": F.col("id"), "s.n": F.col("s.n")})

    assert found.columns == ["id", "s", "text", "sum"]
    rows = sorted(found.collect())
    assert [(row.id, row.s.n, row.text, row["sum"]) for row in rows] == [
        (n, n % 7, str(n), n + n % 7 * 10) for n in range(50)
    ]


@pytest.mark.usefixtures("either_way")
def test_several_batches_of_a_partition_keep_their_rows(spark):
    before = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
    try:
        frame = spark.range(0, 40, 1, 2).withColumn("twice", F.col("id") * 2)
        found = with_arrow_column(frame, "sum", LongType(), added, {"id": F.col("id"), "twice": F.col("twice")})
        assert all(row["sum"] == row.id + 20 * row.id == row.id + 10 * row.twice for row in found.collect())
        assert found.count() == 40
    finally:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", before)
