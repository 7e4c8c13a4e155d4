"""Values of each file, which expressions of Spark look up by a key of the file name."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hoodoo.spark.scan.file_values import FILE_KEY, file_key, value_expressions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

VALUES = st.tuples(
    st.text(st.characters(codec="utf-8")) | st.none(),
    st.integers(-(2**31), 2**31 - 1) | st.none(),
    st.integers(-(2**63), 2**63 - 1) | st.none(),
    st.dates() | st.none(),
)
FIELDS = [
    pa.field("a", pa.string()),
    pa.field("it's `b`", pa.int32()),
    pa.field("c", pa.int64()),
    pa.field("d", pa.date32()),
]


@pytest.mark.nightly
@given(st.dictionaries(st.integers(0, 2**32 - 1), VALUES, min_size=1, max_size=40))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_key_has_its_values_and_no_other_has_any(
    spark: SparkSession, values: dict[int, tuple[str | None, int | None, int | None, date | None]]
) -> None:
    texts = value_expressions("key", FIELDS, values)
    assert list(texts) == [field.name for field in FIELDS]
    unknown = [key + 1 for key in values if key + 1 not in values]
    keys = spark.createDataFrame(pa.table({"key": pa.array([*values, *unknown], pa.int64())}))
    found = {row[0]: tuple(row)[1:] for row in keys.selectExpr("key", *texts.values()).collect()}
    assert found == values | dict.fromkeys(unknown, (None,) * len(FIELDS))


@pytest.mark.nightly
def test_spark_and_python_make_the_same_key(spark: SparkSession) -> None:
    names = [
        "a.parquet",
        "367bfa9d-4ce0-48c3-931d-702577ede0a7-0_0-1-2_20260101000000000.parquet",
        "\u00e9 %20=\U0001f600",
    ]
    frame = spark.createDataFrame(pa.table({"name": names}))
    rows = frame.selectExpr("name", FILE_KEY.replace("_metadata.file_name", "name")).collect()
    assert [tuple(row) for row in rows] == [(name, file_key(f"place=x/{name}")) for name in names]
