"""Types of other libraries as a table stores them."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pytest

from hoodoo.errors import SchemaError
from hoodoo.local.stored_types import storable_schema, to_stored_types

NOON = datetime(2026, 1, 2, 12, 0, 0, 5, tzinfo=UTC)
TEXT = pa.array(["a", None, "b"])
NANOSECONDS = pa.timestamp("ns", "Europe/Oslo")


def stored(array: pa.Array) -> pa.ChunkedArray:
    table = pa.table({"c": array})
    return to_stored_types(table, storable_schema(table.schema))["c"]


@pytest.mark.parametrize(
    ("given", "type_"),
    [
        (TEXT.cast(pa.large_string()), pa.string()),
        (TEXT.cast(pa.string_view()), pa.string()),
        (TEXT.dictionary_encode(), pa.string()),
        (TEXT.cast(pa.large_string()).dictionary_encode(), pa.string()),
        (pa.array([b"a", None], pa.large_binary()), pa.binary()),
        (pa.array([b"a", None], pa.binary_view()), pa.binary()),
        (pa.array([1, None], pa.int8()), pa.int32()),
        (pa.array([1, None], pa.uint32()), pa.int64()),
        (
            pa.array([[["a"], None], None], pa.large_list(pa.large_list(pa.large_string()))),
            pa.list_(pa.list_(pa.string())),
        ),
        (pa.array([{"a": "x"}, None], pa.struct([("a", pa.string_view())])), pa.struct([("a", pa.string())])),
        (pa.array([Decimal("1.5"), None], pa.decimal64(5, 2)), pa.decimal128(5, 2)),
        (pa.array([NOON, None], pa.timestamp("us", "Europe/Oslo")), pa.timestamp("us", "UTC")),
        (pa.array([NOON, None], NANOSECONDS), pa.timestamp("us", "UTC")),
        (pa.array([NOON, None], pa.timestamp("us", "UTC")).cast(pa.timestamp("us", "UTC")), pa.timestamp("us", "UTC")),
        (pa.array(["{}", None], pa.json_()), pa.string()),
    ],
    ids=lambda value: str(value) if isinstance(value, pa.DataType) else str(value.type),
)
def test_a_type_becomes_that_of_a_table_with_the_same_values(given, type_):
    result = stored(given)

    assert result.type == type_
    assert result.to_pylist() == pa.chunked_array([given]).to_pylist()


@pytest.mark.parametrize(
    "series",
    [
        pl.Series("c", ["x", None, "y"], dtype=pl.Categorical),
        pl.Series("c", ["x", None, "y"], dtype=pl.Enum(["x", "y"])),
        pl.Series("c", [["x"], None, ["y", None]], dtype=pl.List(pl.Categorical)),
        pl.Series("c", [{"a": "x"}, {"a": None}], dtype=pl.Struct({"a": pl.Categorical})),
    ],
    ids=lambda series: str(series.dtype),
)
def test_categories_of_polars_become_text(series):
    given = pa.table(series.to_frame())

    assert to_stored_types(given, storable_schema(given.schema))["c"].to_pylist() == series.to_list()


def test_nanoseconds_that_would_be_lost_are_refused():
    with pytest.raises(SchemaError, match=r"column 'c' has type timestamp\[ns.*round or truncate") as raised:
        stored(pa.array([1001], NANOSECONDS))
    assert raised.value.code == "column_type"


@pytest.mark.parametrize(
    "type_", [pa.uint64(), pa.time64("us"), pa.null(), pa.timestamp("us"), pa.month_day_nano_interval()]
)
def test_a_type_that_a_table_cannot_hold_is_refused_with_the_column(type_):
    with pytest.raises(SchemaError, match=r"column 'c' has type .*cast it"):
        storable_schema(pa.schema([("c", type_)]))


def test_nulls_in_columns_that_are_declared_not_null_are_left_to_the_merge():
    schema = pa.schema([pa.field("c", pa.large_string(), nullable=False)])
    table = pa.table([pa.array(["a", None], pa.large_string())], schema=schema)

    assert not storable_schema(schema).field("c").nullable
    assert to_stored_types(table, storable_schema(schema))["c"].to_pylist() == ["a", None]
