"""Objects that are accepted as rows, and those that are not."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from hoodoo.errors import DataError, SchemaError
from hoodoo.local.accepted_rows import rows_of

TABLE = pa.table({"id": ["a", "b"], "n": [1, None]})


class Stream:
    """Object that has only Arrow's interface, like the objects of other libraries."""

    def __arrow_c_stream__(self, requested_schema=None):
        return TABLE.__arrow_c_stream__(requested_schema)


def read(data) -> list[dict]:
    return [row for chunk in rows_of(data).chunks() for row in chunk.to_pylist()]


@pytest.mark.parametrize(
    "data",
    [TABLE, TABLE.to_batches()[0], TABLE.to_reader(), pl.DataFrame(TABLE), Stream()],
    ids=["table", "batch", "reader", "polars", "stream"],
)
def test_rows_of_arrow_and_of_its_interface(data):
    assert read(data) == TABLE.to_pylist()


def test_rows_of_a_duckdb_relation():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as session:
        relation = session.sql(
            "select 7::hugeint h, 1.5::decimal(5, 2) d, 'x'::enum('x', 'y') e, timestamptz '2026-01-02 00:00Z' t"
        )
        [row] = read(relation)

    assert (row["h"], row["d"], row["e"]) == (Decimal(7), Decimal("1.50"), "x")


@pytest.fixture
def pd():
    return pytest.importorskip("pandas")


def test_rows_of_a_pandas_frame_with_objects_nullable_types_and_categories(pd):
    frame = pd.DataFrame(
        {
            "o": pd.Series(["x", None], dtype=object),
            "n": pd.array([1, None], dtype="Int64"),
            "f": [1.5, float("nan")],
            "c": pd.Categorical(["u", "v"]),
        }
    )

    assert read(frame) == [{"o": "x", "n": 1, "f": 1.5, "c": "u"}, {"o": None, "n": None, "f": None, "c": "v"}]


def test_an_index_of_pandas_without_a_name_is_not_a_column(pd):
    assert read(pd.DataFrame({"a": [1, 2, 3]}).iloc[1:]) == [{"a": 2}, {"a": 3}]


def test_an_index_of_pandas_with_a_name_is_refused(pd):
    with pytest.raises(SchemaError, match=r"index 'id', which is not a column; make it one with reset_index\(\)"):
        rows_of(pd.DataFrame({"id": [1], "a": [2]}).set_index("id"))


def test_an_object_column_of_mixed_values_is_refused_by_name(pd):
    with pytest.raises(SchemaError, match=r"column 'q' of type object cannot be read as Arrow.*cast it to one type"):
        rows_of(pd.DataFrame({"a": [1, 2], "q": pd.Series([1, "a"], dtype=object)}))


def test_a_repeated_column_of_pandas_is_refused_by_name(pd):
    with pytest.raises(SchemaError, match="column 'a' occurs twice"):
        rows_of(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(SchemaError, match="column '1' occurs twice"):
        rows_of(pd.DataFrame([[1, 2]], columns=[1, "1"]))


def test_a_column_that_arrow_does_not_have_is_refused_by_name():
    with pytest.raises(SchemaError, match="column 'big' of type Int128 cannot be read as Arrow"):
        rows_of(pl.DataFrame({"a": [1], "big": pl.Series([1], dtype=pl.Int128)}))


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        ([{"a": 1}], "pyarrow.Table.from_pylist"),
        ({"a": [1]}, "pyarrow.table"),
        ("/tmp/rows.parquet", "read the file first"),
        (Path("rows.parquet"), "read the file first"),
        (pl.LazyFrame({"a": [1]}), r"call collect\(\)"),
        (pl.Series([1]), "make a DataFrame of it"),
        (pa.chunked_array([[1]]), "make a table of it"),
        (ds.dataset(TABLE), r"scanner\(\).to_reader\(\)"),
        (None, "NoneType"),
        (7, "int"),
    ],
)
def test_anything_else_is_refused_with_the_accepted_types(data, hint):
    with pytest.raises(DataError, match=hint) as raised:
        rows_of(data)
    assert raised.value.code == "input_type"
    for name in ("Spark DataFrame", "pandas", "Polars", "DuckDB relation", "record batch reader", "__arrow_c_stream__"):
        assert name in str(raised.value)


def test_a_reader_is_read_only_when_its_chunks_are():
    reader = TABLE.to_reader()
    rows_of(reader)

    assert read(reader) == TABLE.to_pylist()


def test_a_reader_that_was_read_is_refused():
    reader = TABLE.to_reader()
    read(reader)

    with pytest.raises(DataError, match="make a new reader") as raised:
        rows_of(reader)
    assert raised.value.code == "consumed_reader"


@pytest.mark.slow
def test_arrow_is_accepted_where_no_other_library_is_installed():
    code = (
        "import sys; sys.modules |= dict.fromkeys(['duckdb', 'pyspark']);"  # their imports fail
        "import pyarrow as pa; from hoodoo.local import rows_of;"
        "print(rows_of(pa.table({'a': [1]}).to_reader()).schema.names)"
    )

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "['a']\n"
