"""Columns and rows of single files of a bootstrap."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from hoodoo.bootstrap.file_format import file_columns, file_rows
from hoodoo.errors import CorruptTableError
from hoodoo.storage import storage_for

ROWS = pa.table({"id": ["a", "b", None], "v": pa.array([1, None, 3], pa.int32())})


@pytest.fixture(params=["parquet", "orc"])
def form(request):
    return request.param


@pytest.fixture
def source(tmp_path, form):
    if form == "parquet":
        pq.write_table(ROWS, tmp_path / "x")
    else:
        orc.write_table(ROWS, str(tmp_path / "x"))
    return storage_for(tmp_path)


def test_a_file_has_its_columns_and_rows(source, form):
    assert file_columns(source, "x", form) == ROWS.schema
    assert pa.concat_tables(file_rows(source, "x", form, ROWS.schema)) == ROWS


def test_columns_that_a_file_lacks_are_null(source, form):
    wanted = pa.schema([("w", pa.float64()), ("v", pa.int32())])
    assert pa.concat_tables(file_rows(source, "x", form, wanted)).to_pydict() == {"w": [None] * 3, "v": [1, None, 3]}


def test_a_file_of_another_format_is_named(tmp_path, form):
    (tmp_path / "x").write_text("id,v")
    with pytest.raises(CorruptTableError, match=r"file 'x' in file://.* is damaged"):
        file_columns(storage_for(tmp_path), "x", form)


def test_timestamps_of_96_bits_are_instants(tmp_path):
    """Timestamps of 96 bits, which Spark and Hive wrote by default, are instants in UTC."""
    time, list_ = dt.datetime(2024, 1, 2, 3, 4, 5, 678901), pa.list_(pa.timestamp("us"))
    rows = pa.table({"t": pa.array([time], pa.timestamp("us")), "l": pa.array([[time]], list_), "n": [1]})
    pq.write_table(rows, tmp_path / "x", use_deprecated_int96_timestamps=True)
    source, utc = storage_for(tmp_path), pa.timestamp("us", "UTC")

    columns = file_columns(source, "x", "parquet")
    [found] = pa.concat_tables(file_rows(source, "x", "parquet", columns)).to_pylist()

    assert columns.types == [utc, pa.list_(utc), pa.int64()]
    instant = time.replace(tzinfo=dt.UTC)
    assert found == {"t": instant, "l": [instant], "n": 1}


def test_other_timestamps_keep_their_type(tmp_path):
    rows = pa.table({"t": pa.array([0], pa.timestamp("us")), "u": pa.array([0], pa.timestamp("ms", "UTC"))})
    pq.write_table(rows, tmp_path / "x")
    assert file_columns(storage_for(tmp_path), "x", "parquet").types == rows.schema.types


def test_types_of_the_library_that_wrote_a_file_are_those_of_its_content(tmp_path):
    """Large types and views of Polars and categories of pandas are read as the types that Spark writes."""
    text = pa.large_string()
    rows = pa.table(
        {
            "category": pa.array(["a", "b"]).dictionary_encode(),
            "text": pa.array(["a", "b"], text),
            "view": pa.array([b"a", b"b"], pa.binary_view()),
            "many": pa.array([["a"], []], pa.large_list(text)),
            "pair": pa.array([{"x": "a"}, None], pa.struct([("x", text)])),
            "map": pa.array([[("k", "v")], []], pa.map_(pa.string(), text)),
        }
    )
    pq.write_table(rows, tmp_path / "x")
    source = storage_for(tmp_path)
    columns = file_columns(source, "x", "parquet")
    assert columns.types == [
        pa.string(),
        pa.string(),
        pa.binary(),
        pa.list_(pa.string()),
        pa.struct([("x", pa.string())]),
        pa.map_(pa.string(), pa.string()),
    ]
    assert pa.concat_tables(file_rows(source, "x", "parquet", columns)).to_pylist() == rows.to_pylist()
