"""Keys that a filter determines."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hoodoo.reading.indexed.filter_tree import filter_tree
from hoodoo.reading.indexed.wanted_keys import key_columns, wanted_keys

SCHEMA = pa.schema([("k", pa.string()), ("n", pa.int64()), ("x", pa.int64())])
COLUMNS = {"k": pa.string(), "n": pa.int32()}
K, N, X = (pc.field(name) for name in "knx")


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        (K == "a", {"a"}),
        (pc.scalar("a") == K, {"a"}),
        (N == 7, {"7"}),
        (K.isin(["a", "b", None]), {"a", "b"}),
        ((K == "a") & (X > 1), {"a"}),
        ((X > 1) & (K == "a"), {"a"}),
        (K.isin(["a", "b"]) & K.isin(["b", "c"]), {"b"}),
        ((K == "a") | (N == 7), {"a", "7"}),
        ((K == "a") | (X == 7), None),
        (~(K == "a"), None),
        (K != "a", None),
        (K >= "a", None),
        (X == 7, None),
        (N == 7.0, None),
        (pa.scalar(None, pa.string()) == K, set()),
        (pc.scalar(True), None),
    ],
)
def test_keys_of_a_filter(condition, keys):
    assert wanted_keys(filter_tree(condition, SCHEMA), COLUMNS) == keys


def test_a_text_of_digits_is_not_the_key_of_a_number():
    assert wanted_keys(filter_tree(pa.scalar("07") == N, SCHEMA), COLUMNS) is None


def test_columns_with_the_text_of_the_key(written):
    written.write(("a", "x", 1, "1"))
    schema = written.table.schema.insert(0, pa.field("_hoodie_record_key", pa.string()))
    assert list(key_columns(written.properties, schema)) == ["_hoodie_record_key", "id"]


def test_a_key_of_several_columns_has_the_meta_column_only(written):
    written.write(("a", "x", 1, "1"), record_key="id,v", keygen="complex")
    schema = written.table.schema.insert(0, pa.field("_hoodie_record_key", pa.string()))
    assert list(key_columns(written.properties, schema)) == ["_hoodie_record_key"]


def test_a_null_among_values_determines_no_values_of_a_column_with_nulls():
    schema = pa.schema([("a", pa.string())])
    node = filter_tree(pc.field("a").isin(pa.array(["x", None])), schema)
    assert wanted_keys(node, {"a": pa.string()}) == {"x"}
    assert wanted_keys(node, {"a": pa.string()}, has_nulls=True) is None
    both = filter_tree(pc.field("a").isin(pa.array(["x", None])) & (pc.field("a") == "y"), schema)
    assert wanted_keys(both, {"a": pa.string()}, has_nulls=True) == {"y"}
