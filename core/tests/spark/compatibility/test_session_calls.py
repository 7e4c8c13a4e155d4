"""Calls of a Spark session that differ between releases of PySpark."""

from __future__ import annotations

import threading
import time
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from hoodoo.spark.compatibility.session_calls import (
    add_tag,
    error_condition,
    frame_of_literals,
    frame_of_table,
    inheriting,
    interrupt_tag,
)

ROWS = [
    {
        "n": 1,
        "text": "a'b",
        "at": datetime(2024, 3, 1, 12, 30, 1, 5, tzinfo=UTC),
        "day": date(1960, 2, 29),
        "price": Decimal("12.50"),
        "raw": b"\x00\xff",
        "tags": ["x", None],
        "by_name": [("k", {"a": 1, "b": [("z", 2)]})],
    },
    {"n": None, "text": None, "at": None, "day": None, "price": None, "raw": None, "tags": None, "by_name": None},
]
SCHEMA = pa.schema(
    {
        "n": pa.int32(),
        "text": pa.string(),
        "at": pa.timestamp("us", "UTC"),
        "day": pa.date32(),
        "price": pa.decimal128(10, 2),
        "raw": pa.binary(),
        "tags": pa.list_(pa.string()),
        "by_name": pa.map_(pa.string(), pa.struct({"a": pa.int64(), "b": pa.map_(pa.string(), pa.int64())})),
    }
)


@pytest.mark.usefixtures("either_way")
def test_an_arrow_table_becomes_a_frame_of_the_same_types_and_values(spark):
    frame = frame_of_table(spark, pa.Table.from_pylist(ROWS, SCHEMA))

    assert dict(frame.dtypes) == {
        "n": "int",
        "text": "string",
        "at": "timestamp",
        "day": "date",
        "price": "decimal(10,2)",
        "raw": "binary",
        "tags": "array<string>",
        "by_name": "map<string,struct<a:bigint,b:map<string,bigint>>>",
    }
    [row] = frame.where("n = 1").collect()
    assert (row.text, row.day, row.price, bytes(row.raw), row.tags) == (*list(ROWS[0].values())[1:2], *_others())
    assert row.by_name["k"].asDict() == {"a": 1, "b": {"z": 2}}
    assert frame.where("n = 1").select(F.unix_micros("at")).first()[0] == 1_709_296_201_000_005
    assert frame.where("n is null and text is null and at is null and tags is null and by_name is null").count() == 1


def _others():
    return tuple(ROWS[0][name] for name in ("day", "price", "raw", "tags"))


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("sizes", [[5], [1, 3, 1]])
def test_literals_are_known_when_the_query_is_planned(sizes, spark):
    rows = pa.table(
        {
            "the number": pa.array(range(5), pa.int32()),
            "key": pa.array([2**62, 0, -1, 7, 2**31], pa.int64()),
        }
    )

    frame = frame_of_literals(spark, rows, sizes)

    assert dict(frame.dtypes) == {"the number": "int", "key": "bigint"}
    assert sorted(map(tuple, frame.collect())) == list(zip(range(5), rows["key"].to_pylist(), strict=True))
    plan = frame.where("key = 7")._jdf.queryExecution().optimizedPlan()
    assert [plan.collectLeaves().apply(n).maxRows().get() for n in range(plan.collectLeaves().size())] == [1]


# the alternative of PySpark 3.5 warns in later releases
@pytest.mark.filterwarnings("ignore:Spark session is not provided")
@pytest.mark.usefixtures("either_way")
def test_a_tagged_job_of_another_thread_is_cancelled_by_its_tag(spark):
    failures = []

    def work():
        try:
            add_tag(spark, "hoodoo-test")
            spark.range(2).mapInArrow(_slow, "id long").collect()
        except Exception as error:  # noqa: BLE001 - the test examines it
            failures.append(error)

    thread = threading.Thread(target=inheriting(spark, work))
    thread.start()
    stop = time.monotonic() + 60
    while thread.is_alive() and time.monotonic() < stop:
        interrupt_tag(spark, "hoodoo-test")
        thread.join(0.5)
    assert not thread.is_alive()
    assert len(failures) == 1
    assert "cancel" in str(failures[0]).lower()


def _slow(batches):
    for _ in batches:
        time.sleep(200)
    yield from ()


def test_an_error_has_the_name_of_its_condition(spark):
    with pytest.raises(PySparkException) as caught:
        spark.range(1).select("gone").collect()

    assert error_condition(caught.value).startswith("UNRESOLVED_COLUMN")
