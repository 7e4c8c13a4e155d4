"""`hoodoo.write` of the same rows from every library gives the same table, with the types and values of the rows."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import DataError, SchemaError, TableExists

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "kind", "ordering": "at"}
SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "kind": pa.string(),
        "at": pa.timestamp("us", "UTC"),
        "day": pa.date32(),
        "price": pa.decimal128(9, 2),
        "count": pa.int64(),
        "tags": pa.list_(pa.string()),
    }
)
ROWS = [
    {
        "id": f"k{n}",
        "kind": "xyz"[n % 3],
        "at": datetime(2026, 1, 2, 3, 4, n, 6, tzinfo=UTC),
        "day": date(2026, 1, 1 + n),
        "price": Decimal(n) / 4,
        "count": None if n == 2 else n,
        "tags": None if n == 3 else [f"t{n}", None],
    }
    for n in range(8)
]
TABLE = pa.Table.from_pylist(ROWS, schema=SCHEMA)


def from_pandas():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS)
    frame["kind"] = frame["kind"].astype("category")
    frame["count"] = pd.array(TABLE["count"].to_pylist(), dtype="Int64")
    frame["price"] = frame["price"].astype(pd.ArrowDtype(SCHEMA.field("price").type))
    frame["at"] = frame["at"].dt.tz_convert("Europe/Oslo")
    return frame


def from_polars():
    frame = pl.DataFrame(TABLE)
    return frame.with_columns(pl.col("kind").cast(pl.Categorical), pl.col("tags").cast(pl.List(pl.Categorical)))


def from_polars_enum():
    zoned = pl.col("at").dt.convert_time_zone("Asia/Tokyo").dt.cast_time_unit("ns")
    return pl.DataFrame(TABLE).with_columns(pl.col("kind").cast(pl.Enum(["x", "y", "z"])), zoned)


def from_duckdb():
    duckdb = pytest.importorskip("duckdb")
    session = duckdb.connect()
    session.register("given", TABLE)
    return session.sql("select * replace (kind::enum('x', 'y', 'z') as kind, id::varchar as id) from given")


def from_batches():
    return pa.RecordBatchReader.from_batches(SCHEMA, TABLE.to_batches(max_chunksize=3))


def from_large_types():
    wide = {"id": pa.large_string(), "kind": pa.string_view(), "tags": pa.large_list(pa.large_string())}
    return pa.table({name: TABLE[name].cast(wide.get(name, TABLE[name].type)) for name in SCHEMA.names})


KINDS = [from_pandas, from_polars, from_polars_enum, from_duckdb, from_batches, from_large_types]


@pytest.mark.parametrize("index", [{}, {"index": "bucket", "buckets": 2}], ids=["simple", "bucket"])
@pytest.mark.parametrize("rows", KINDS, ids=lambda rows: rows.__name__)
def test_rows_of_every_library_are_the_rows_of_the_table(tmp_path, rows, index):
    for operation in ("insert", "upsert"):
        commit = hoodoo.write(rows(), tmp_path / "t", OPTIONS | index | {"operation": operation})

    stored = hoodoo.Table(tmp_path / "t").to_arrow(SCHEMA.names)
    assert commit.rows_updated == len(ROWS)
    assert sorted(stored.to_pylist(), key=lambda row: row["id"]) == ROWS
    assert stored.schema.types == SCHEMA.types


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pl.Series("v", [1], dtype=pl.UInt64), "column 'v' has type uint64.*cast it to int64"),
        (pl.Series("v", [1], dtype=pl.Duration), "column 'v' has type duration.*cast it to an integer"),
        (pl.Series("v", [None]), "column 'v' has type null.*cast it to its intended type"),
        (pl.Series("v", [1]).cast(pl.Datetime("us")), "column 'v' has type timestamp.*cast it to zone UTC"),
        (pl.Series("v", [1], dtype=pl.Int128), "column 'v' of type Int128 cannot be read as Arrow"),
        (pl.Series("v", [1]).cast(pl.Datetime("ns", "UTC")), "column 'v' has type timestamp.*round or truncate"),
    ],
    ids=["uint64", "duration", "null", "naive", "int128", "nanoseconds"],
)
def test_a_column_that_a_table_cannot_hold_is_refused_by_name_and_nothing_is_written(tmp_path, column, message):
    rows = pl.DataFrame([pl.Series("id", ["a"]), column])

    with pytest.raises(SchemaError, match=message):
        hoodoo.write(rows, tmp_path / "t", {"table_name": "t", "record_key": "id"})
    assert not (tmp_path / "t" / ".hoodie").exists()


def test_mode_and_errors_are_those_of_a_spark_write(tmp_path):
    hoodoo.write(TABLE, tmp_path / "t", OPTIONS)

    assert hoodoo.write(TABLE, tmp_path / "t", OPTIONS, mode="ignore").instant is None
    with pytest.raises(TableExists):
        hoodoo.write(TABLE, tmp_path / "t", OPTIONS, mode="errorifexists")
    with pytest.raises(DataError, match="id"):
        hoodoo.write(TABLE.set_column(0, SCHEMA.field("id"), pa.nulls(8, pa.string())), tmp_path / "t", OPTIONS)
    assert hoodoo.write(TABLE[:1], tmp_path / "t", OPTIONS, mode="overwrite").rows_inserted == 1
    assert hoodoo.Table(tmp_path / "t").to_arrow(["id"]).to_pylist() == [{"id": "k0"}]


def test_a_stored_table_needs_no_options(tmp_path):
    hoodoo.write(TABLE, tmp_path / "t", OPTIONS)

    assert hoodoo.write(TABLE, tmp_path / "t").rows_updated == 8
