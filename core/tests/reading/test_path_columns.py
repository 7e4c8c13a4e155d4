"""Partition columns whose values are in paths only."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import UnsupportedTable
from hoodoo.properties import TableProperties
from hoodoo.properties import property_keys as keys
from hoodoo.reading.path_columns import PathColumns, filled, with_path_columns


def table(columns="p,q", **flags):
    stored = {keys.PARTITION_FIELDS: columns, keys.DROP_PARTITION_COLUMNS: "true", keys.TABLE_NAME: "t"}
    return TableProperties(stored | {getattr(keys, name): "true" for name in flags})


def test_missing_columns_come_last_as_text():
    schema = pa.schema([("q", pa.int64()), ("v", pa.int64())])
    found = with_path_columns(schema, table())
    assert found.names == ["q", "v", "p"]
    assert found.field("p").type == pa.string()


def test_a_table_that_keeps_its_columns_lacks_none():
    schema, kept = pa.schema([("v", pa.int64())]), TableProperties({keys.PARTITION_FIELDS: "p"})
    assert with_path_columns(schema, kept) is schema
    assert PathColumns.of(kept).values("1") == {}


@pytest.mark.parametrize(
    ("columns", "flags", "path", "values"),
    [
        ("p,q", {}, "1/2", {"p": "1", "q": "2"}),
        ("p,q", {"HIVE_STYLE": 1}, "p=1/q=2", {"p": "1", "q": "2"}),
        ("p", {}, "2026/01/02", {"p": "2026/01/02"}),
        ("p", {"URL_ENCODE": 1}, "a%2Fb", {"p": "a/b"}),
        ("p", {}, "a%2Fb", {"p": "a%2Fb"}),
        ("p", {}, "__HIVE_DEFAULT_PARTITION__", {"p": None}),
    ],
)
def test_values_of_a_path(columns, flags, path, values):
    assert PathColumns.of(table(columns, **flags)).values(path) == values


def test_a_path_that_cannot_be_divided_is_refused():
    with pytest.raises(UnsupportedTable, match="'1/2/3'") as refused:
        PathColumns.of(table()).values("1/2/3")
    assert refused.value.code == "dropped_partition_columns"


def test_rows_of_a_partition_get_the_values_of_the_columns_that_they_have():
    rows = pa.table({"p": pa.nulls(2, pa.string()), "v": [1, 2]})
    assert filled(rows, {"p": "x", "q": "y"}).to_pylist() == [{"p": "x", "v": 1}, {"p": "x", "v": 2}]
    assert filled(rows, {"p": None}).to_pylist() == rows.to_pylist()
