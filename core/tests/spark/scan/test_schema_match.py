"""Stored columns that Spark's Parquet reader may read."""

from __future__ import annotations

import sys
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.filegroup import FileSlice
from hoodoo.reading import Split
from hoodoo.schema.avro_encode import to_avro
from hoodoo.spark.scan.schema_match import misfit, unreadable_instants
from hoodoo.storage import LocalStorage
from hoodoo.timeline import CommitMetadata, Timeline

POINT = pa.struct([("x", pa.int32()), ("y", pa.string())])


@pytest.fixture(autouse=True)
def pyspark(monkeypatch):
    """Return a module that replaces PySpark, which these tests do not need; a test may change its version."""
    fake = ModuleType("pyspark")
    fake.__version__ = "4.0.0"
    monkeypatch.setitem(sys.modules, "pyspark", fake)
    return fake


@pytest.mark.parametrize(
    ("stored", "wanted", "expected"),
    [
        (pa.int32(), pa.int32(), True),
        (pa.int32(), pa.int64(), True),
        (pa.int32(), pa.float64(), True),
        (pa.int32(), pa.float32(), False),
        (pa.int64(), pa.float64(), False),
        (pa.int64(), pa.int32(), False),
        (pa.int32(), pa.string(), False),
        (pa.decimal128(10, 2), pa.decimal128(10, 2), True),
        (pa.decimal128(10, 2), pa.decimal128(12, 2), False),
        (POINT, pa.struct([("y", pa.string()), ("x", pa.int64()), ("z", pa.date32())]), True),
        (POINT, pa.struct([("x", pa.float32())]), False),
        (POINT, pa.struct([("X", pa.int32())]), False),
        (pa.list_(POINT), pa.list_(pa.struct([("x", pa.int64())])), True),
        (pa.list_(pa.int32()), pa.list_(pa.string()), False),
        (pa.map_(pa.string(), pa.int32()), pa.map_(pa.string(), pa.int64()), True),
        (pa.map_(pa.string(), pa.int32()), pa.map_(pa.string(), pa.float32()), False),
        (POINT, pa.string(), False),
    ],
)
def test_types(stored, wanted, expected):
    assert (misfit(pa.schema([("c", stored)]), pa.schema([("c", wanted)])) is None) is expected


@pytest.mark.parametrize(
    ("stored", "wanted", "expected"),
    [
        (pa.int32(), pa.int64(), False),
        (pa.int32(), pa.float64(), False),
        (pa.float32(), pa.float64(), False),
        (pa.list_(POINT), pa.list_(pa.struct([("x", pa.int64())])), False),
        (pa.int64(), pa.int64(), True),
        (pa.string(), pa.binary(), True),
    ],
)
def test_numbers_are_not_widened_by_spark_3(pyspark, stored, wanted, expected):
    pyspark.__version__ = "3.5.9"
    assert (misfit(pa.schema([("c", stored)]), pa.schema([("c", wanted)])) is None) is expected


def test_names():
    stored = pa.schema([("a", pa.int32()), ("B", pa.int32())])
    assert misfit(stored, pa.schema([("missing", pa.string()), ("a", pa.int32())])) is None
    assert misfit(stored, pa.schema([("b", pa.int32())])) == "column 'b' under a name that differs in case"


def test_the_reason_names_the_column_and_its_types():
    reason = misfit(pa.schema([("c", pa.int64())]), pa.schema([("c", pa.string())]))
    assert reason == "column 'c' stored as int64 and read as string"


def test_the_commit_of_a_file_says_what_it_holds_and_its_footer_where_that_was_archived(tmp_path):
    stated = {"20240101000001000": pa.int32(), "20240101000002000": pa.int64(), "20240101000003000": None}
    archived = {"20230101000001000": pa.float32(), "20230101000002000": pa.int64(), "20230101000003000": pa.float64()}
    storage = LocalStorage(str(tmp_path))
    for time, type_ in stated.items():
        schema = to_avro(pa.schema([("c", type_)]), "t") if type_ else '{"type": "unheard"}'
        storage.create(f".hoodie/{time}.commit", CommitMetadata("UPSERT", {}, {"schema": schema}).to_json())
    for time, type_ in archived.items():
        pq.write_table(pa.table({"c": pa.array([1], type_)}), tmp_path / f"{time}.parquet")
    wanted = pa.schema([("c", pa.float64())])
    splits = [
        Split(storage.uri, FileSlice("", time, time, f"{time}.parquet", 1), wanted, wanted)
        for time in [*stated, *archived]
    ]
    assert unreadable_instants(storage, Timeline.load(storage), splits, wanted) == {
        "20240101000002000": "column 'c' stored as int64 and read as double",
        "20240101000003000": "a schema that cannot be decoded",
        "20230101000002000": "column 'c' stored as int64 and read as double",
    }
